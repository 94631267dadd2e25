// The tables of docs/reference/operations.md: the operations of owners by resource, with links to their fields.

import type { OwnerOperation } from "../src/operation/define_operation.ts";
import { table } from "./markdown_table.ts";

const code = (text: string) => `\`${text}\``;

/** The groups in their order, by the first part of the scope. */
const GROUPS: Record<string, string> = {
  alerts: "Alerts",
  pushers: "Channels",
  invites: "Invites",
  subscribers: "Subscribers",
  stats: "Statistics",
  webhooks: "Webhooks",
  account: "Account",
  audit: "Audit log",
};

export function operationTables(operations: readonly OwnerOperation[], publicUrl: string): string {
  /** On the API page, operations of one route have one entry. */
  const entryOf = ({ method, path }: OwnerOperation["http"]) => {
    const onRoute = operations.filter(({ http }) => http.method === method && http.path === path);
    return (onRoute.find(({ http }) => !http.when) ?? onRoute[0]!).name;
  };
  const byGroup = Map.groupBy(operations, ({ scope }) => scope.split(":")[0]!);
  return Object.entries(GROUPS)
    .map(([group, title]) => {
      const rows = (byGroup.get(group) ?? []).map(({ name, title, scope, alsoRequires, mayRequire, http }) => [
        `[${code(name)}](${publicUrl}/api/v1/docs#${entryOf(http)})`,
        title,
        [scope, ...Object.keys({ ...alsoRequires, ...mayRequire })].map(code).join(" "),
        code(`${http.method} ${http.path}`) + (http.when ? ` with ${code(JSON.stringify(http.when))}` : ""),
      ]);
      return `### ${title}\n\n${table(["Operation", "Purpose", "Scope", "REST"], rows)}`;
    })
    .join("\n\n");
}
