// The tables of docs/reference/operations.md: the operations of owners by resource, with links to their fields.

import type { OwnerOperation } from "../src/operation/define_operation.ts";
import { table } from "./markdown_table.ts";

const code = (text: string) => `\`${text}\``;

/** By the first part of the scope. */
const GROUPS: Record<string, string> = {
  account: "Account",
  webhooks: "Webhooks",
  pushers: "Channels",
  invites: "Invites",
  alerts: "Alerts",
  stats: "Statistics",
  subscribers: "Subscribers",
  audit: "Audit log",
};

export function operationTables(operations: readonly OwnerOperation[], publicUrl: string): string {
  /** On the API page, operations of one route have one entry. */
  const entryOf = ({ method, path }: OwnerOperation["http"]) => {
    const onRoute = operations.filter(({ http }) => http.method === method && http.path === path);
    return (onRoute.find(({ http }) => !http.when) ?? onRoute[0]!).name;
  };
  return [...Map.groupBy(operations, ({ scope }) => scope.split(":")[0]!)]
    .map(([group, members]) => {
      const rows = members.map(({ name, title, scope, alsoRequires, mayRequire, http }) => [
        `[${code(name)}](${publicUrl}/api/v1/docs#${entryOf(http)})`,
        title,
        [scope, ...Object.keys({ ...alsoRequires, ...mayRequire })].map(code).join(", "),
        code(`${http.method} ${http.path}`) + (http.when ? ` with ${code(JSON.stringify(http.when))}` : ""),
      ]);
      return `### ${GROUPS[group]}\n\n${table(["Operation", "What it does", "Scope", "REST"], rows)}`;
    })
    .join("\n\n");
}
