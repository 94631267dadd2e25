// The tables of docs/reference/operations.md: the operations of owners by resource, with links to their fields.

import { DOCS_PAGE_PATH } from "../src/api/transports/docs_routes.ts";
import { assertDefined } from "../src/model/assert.ts";
import type { OwnerOperation } from "../src/operation/define_operation.ts";
import { inlineCode, markdownTable } from "./markdown_table.ts";

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

export function renderOperationTables(operations: readonly OwnerOperation[], publicUrl: string): string {
  /** On the API page, operations of one route have one entry. */
  const entryOf = ({ method, path }: OwnerOperation["http"]) => {
    const onRoute = operations.filter(({ http }) => http.method === method && http.path === path);
    return (onRoute.find(({ http }) => !http.when) ?? onRoute[0]!).name;
  };
  const byTitle = Map.groupBy(operations, ({ scope }) =>
    assertDefined(GROUPS[scope.split(":")[0]!], "each scope has a group"),
  );
  return Object.values(GROUPS)
    .map((title) => {
      const rows = (byTitle.get(title) ?? []).map(({ name, title, scope, alsoRequires, mayRequire, http }) => [
        `[${inlineCode(name)}](${publicUrl}${DOCS_PAGE_PATH}#${entryOf(http)})<br>` +
          `${inlineCode(`${http.method} ${http.path}`)}${
            http.when ? ` with ${inlineCode(JSON.stringify(http.when))}` : ""
          }`,
        title,
        [scope, ...Object.keys({ ...alsoRequires, ...mayRequire })].map(inlineCode).join("<br>"),
      ]);
      return `### ${title}\n\n${markdownTable(["Operation and route", "Purpose", "Scope"], rows)}`;
    })
    .join("\n\n");
}
