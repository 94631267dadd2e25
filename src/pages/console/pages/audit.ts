// The audit log for people: actor, client, action and time of each line. It is filtered by channel and by actor, shown
// page by page, and exported as a table.

import {
  ACCOUNT_AUDIT_ACTION_LABELS,
  type AccountAction,
  FAILED_ACCOUNT_ACTION_LABELS,
} from "../../../identity/auth/account_audit.ts";
import { count_alert_reports } from "../../../identity/session/alert_report_counts.ts";
import { SESSION_OPERATIONS } from "../../../identity/session/index.ts";
import { ALERT_FIELDS } from "../../../model/fields/alert.ts";
import { CHANNEL_FIELDS } from "../../../model/fields/channel.ts";
import { getFieldLabels } from "../../../model/fields/field_table.ts";
import { WEBHOOK_FIELDS } from "../../../model/fields/webhook.ts";
import { formatLimit } from "../../../model/limits.ts";
import { buildUrl } from "../../../ui/build_url.ts";
import { type Html, type HtmlContent, html } from "../../../ui/html.ts";
import { dayAndTime, renderHtmlTable, renderSelectField } from "../components.ts";
import { emptyState } from "../empty_state.ts";
import { capitalize } from "../form_controls.ts";
import {
  buildAuditActorOptions,
  findFilterChannelId,
  getActorName,
  renderChannelFilter,
  renderToolbar,
} from "../list_search.ts";
import { readNewestRows, readPagedOrSortedRows, renderSortMenu, type SortableColumns } from "../list_sorting.ts";
import {
  type ConsolePage,
  defineMemberPage,
  type MemberPageContext,
  type OperationResult,
  type OperationResultRow,
} from "../page_definitions.ts";
import { csvResponse } from "../page_layout.ts";

/** Lines of a file. For more, clients read the API page by page. */
const MOST_LINES = 5000;
/** From how many of the newest lines the filter offers who did something. */
const ACTORS_FROM = 100;

const TRANSPORT_WORDS: Record<string, string> = {
  rest: "REST",
  mcp: "MCP",
  cli: "Command line",
  console: "Console",
  operator: "Server shell",
};

/** The kind of credential, where the transport does not imply it. */
const VIA: Record<string, string> = { key: " with a key", oauth: " as an assistant" };

type AuditLogRow = OperationResultRow<"list_audit_events">;

interface Filter {
  pusher_id?: string;
  actor?: string;
}

function filterOf({ url }: MemberPageContext): Filter {
  const pusher_id = url.searchParams.get("channel");
  const actor = url.searchParams.get("actor")?.slice(0, 64);
  return { ...(pusher_id && { pusher_id }), ...(actor && { actor }) };
}

/** The same filter in an address. */
const query = ({ pusher_id, actor }: Filter) => ({ channel: pusher_id, actor });

const failedAct = ({ operation, status }: AuditLogRow) =>
  status === "failed" && Object.hasOwn(FAILED_ACCOUNT_ACTION_LABELS, operation)
    ? FAILED_ACCOUNT_ACTION_LABELS[operation]
    : undefined;

/** The title of an operation as its description has it. */
function operationWords({ deps }: MemberPageContext, line: AuditLogRow): string {
  const name = line.operation;
  const failed = failedAct(line);
  if (failed) return failed[0];
  if (name in ACCOUNT_AUDIT_ACTION_LABELS) return ACCOUNT_AUDIT_ACTION_LABELS[name as AccountAction];
  const known = [...deps.tools, ...SESSION_OPERATIONS].find((operation) => operation.name === name);
  return known?.title ?? name.replaceAll("_", " ");
}

/** The end of an id, which differs between lines, and the whole id as a hint. */
const shortId = (id: string): Html =>
  html`<code class="small" title="${id}">${id.slice(0, id.indexOf("_") + 1)}…${id.slice(-6)}</code>`;

/** The titles of the alerts that lines are about, by id. Deleted ones have none. */
async function readAlertTitles(context: MemberPageContext, lines: readonly AuditLogRow[]) {
  const subjects = new Set(lines.flatMap(({ subject_id }) => (subject_id?.startsWith("alr_") ? [subject_id] : [])));
  if (subjects.size === 0) return [];
  const { data } = await context.asMember(count_alert_reports, { alert_ids: [...subjects] });
  return data.map(({ id, title }) => [id, title] as const);
}

/**
 * The object that was made or changed, as a link where it has a page. An alert has its present title, and a member the
 * name of the newest lines. A channel has its own column.
 */
function subject(
  { base }: MemberPageContext,
  names: ReadonlyMap<string, string>,
  { subject_id: id, pusher_id }: AuditLogRow,
): HtmlContent {
  if (id === null || id === pusher_id) return null;
  const name = names.get(id);
  const shown = name ? html`<span class="name" dir="auto" title="${id}">${name}</span>` : shortId(id);
  if (id.startsWith("alr_") && pusher_id) return html`<a href="${base}channels/${pusher_id}/alerts/${id}">${shown}</a>`;
  if (id.startsWith("whk_")) return html`<a href="${base}webhooks/${id}">${shown}</a>`;
  return shown;
}

const FIELD_LABELS: Readonly<Record<string, string>> = {
  ...getFieldLabels({ ...WEBHOOK_FIELDS, ...CHANNEL_FIELDS, ...ALERT_FIELDS }),
  ...{ send_at: "Send time", recurrence: "Repetition" },
};

/** "Title and send time changed", by the labels of the form. A label such as "HTML" keeps its capitals. */
function describeChanges(changed: readonly string[]): string {
  const labels = changed.map((name) => FIELD_LABELS[name] ?? name.replaceAll("_", " "));
  const inLine = labels.map((label) => label.replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase()));
  return `${capitalize(new Intl.ListFormat("en").format(inLine))} changed`;
}

/** The state that something was left in and what an edit changed, or that it failed, and how often. */
function outcome(line: AuditLogRow): HtmlContent {
  const { status, count, changed } = line;
  const failed = failedAct(line);
  if (failed) return html` <span class="badge warn">${failed[1]}</span>`;
  const fields = changed && changed.length > 0 && html` <span class="muted">${describeChanges(changed)}</span>`;
  const state = status === "draft" ? "Saved as draft" : capitalize(status ?? "");
  if (status !== "failed") return html`${status && html` <span class="muted">${state}</span>`}${fields}`;
  const often = (count ?? 1) > 1 && ` ${count} times in ${formatLimit("failed_runs_minutes")} minutes`;
  return html` <span class="badge warn">failed${often}</span>`;
}

const listChannels = async (context: MemberPageContext) => (await context.call("list_pushers")).data;

type ListedChannel = Awaited<ReturnType<typeof listChannels>>[number];

const namesOf = (channels: readonly ListedChannel[]) => new Map(channels.map(({ id, name }) => [id, name]));

/** The filter with the id of the channel that was typed; null where no channel has this name. */
function resolveChannel(filter: Filter, channels: readonly ListedChannel[]): Filter | null {
  // The log also has lines of channels that were deleted since.
  if (!filter.pusher_id || /^psh_/.test(filter.pusher_id)) return filter;
  const pusher_id = findFilterChannelId(channels, filter.pusher_id);
  return pusher_id === null ? null : { ...filter, pusher_id };
}

function toolbar(
  { base }: MemberPageContext,
  channels: ListedChannel[],
  list: { seen: AuditLogRow[]; filter: Filter; isEmpty: boolean; isRefused: boolean; order: HtmlContent },
): Html {
  const { seen, filter, isEmpty, isRefused, order } = list;
  const id = filter.pusher_id ?? "";
  const deleted = id.startsWith("psh_") && !channels.some((channel) => channel.id === id);
  // Other text of an address is not shown as an id.
  const named = /^psh_\w{26}$/.test(id) ? ` (${id})` : "";
  const offered = deleted ? [{ id, name: `A deleted channel${named}`, handle: "" }, ...channels] : channels;
  const actors = buildAuditActorOptions(seen, filter.actor);
  const [path, { pusher_id, actor }] = [`${base}audit`, filter];
  const channel = offered.find((one) => one.id === pusher_id)?.name;
  const by = actor && actors.find(({ value }) => value === actor)?.label;
  return renderToolbar(path, {
    name: "Audit log",
    download: isEmpty ? null : buildUrl(`${path}.csv`, query(filter)),
    active: [
      ...(channel ? [{ label: "Channel", value: channel, without: buildUrl(path, { actor }) }] : []),
      ...(by ? [{ label: "By", value: by, without: buildUrl(path, { channel: pusher_id }) }] : []),
    ],
    ...{ isRefused, order },
    filters: html`${renderChannelFilter(offered, filter.pusher_id)}${renderSelectField({
      ...{ name: "actor", label: "By", options: actors, value: filter.actor },
    })}`,
  });
}

const retention = (days: number): string =>
  days === 0 ? "Entries are kept indefinitely." : `Entries are kept for ${days} ${days === 1 ? "day" : "days"}.`;

const sortableColumns = (
  context: MemberPageContext,
  names: ReadonlyMap<string, string>,
): SortableColumns<AuditLogRow> => ({
  Action: { value: (line) => operationWords(context, line), first: "asc" },
  By: { value: ({ actor }) => getActorName(actor), first: "asc" },
  Channel: { value: ({ pusher_id }) => pusher_id && (names.get(pusher_id) ?? "A deleted channel"), first: "asc" },
  When: { value: ({ created_at }) => created_at, first: "asc" },
});

async function page(context: MemberPageContext): Promise<Response> {
  const filter = filterOf(context);
  const before = context.url.searchParams.get("before");
  const channels = await listChannels(context);
  const resolved = resolveChannel(filter, channels);
  const nothing: OperationResult<"list_audit_events"> = { data: [], meta: { next_before: null } };
  const names = namesOf(channels);
  const at = `${context.base}audit`;
  const [newest, list] = await Promise.all([
    context.call("list_audit_events", { limit: ACTORS_FROM }),
    readPagedOrSortedRows(
      context,
      async (page) => (resolved ? context.call("list_audit_events", { ...resolved, ...page }) : nothing),
      sortableColumns(context, names),
      { path: at, query: query(filter) },
    ),
  ]);
  const data = list.rows;
  const seen = [...newest.data, ...data];
  const people = new Map(
    seen.flatMap(({ actor }) => (actor.type === "session" && actor.id ? [[actor.id, getActorName(actor)]] : [])),
  );
  const subjectNames = new Map([...people, ...(await readAlertTitles(context, data))]);
  const tools = toolbar(context, channels, {
    ...{ seen, filter: resolved ?? filter, isEmpty: data.length === 0, isRefused: resolved === null },
    order: renderSortMenu(list.headings, data),
  });
  const chosen = Object.keys(filter).length > 0;
  return context.page(
    "Audit log",
    html`<h1>Audit log</h1>
    <p class="lede">All changes, with their authors, keys and assistants. ${retention(
      context.deps.auditRetentionDays,
    )}</p>
    ${tools}
    ${list.note}
    ${renderHtmlTable(
      "Audit log",
      data,
      {
        Action: (line) => html`<span class="lead">${operationWords(context, line)}</span>${outcome(line)}`,
        By: ({ actor }) =>
          actor.id === null || filter.actor === actor.id
            ? html`<span class="name">${getActorName(actor)}</span>`
            : html`<a href="${buildUrl(at, query({ ...filter, actor: actor.id }))}">${getActorName(actor)}</a>`,
        Via: ({ actor, transport }) => `${TRANSPORT_WORDS[transport]}${VIA[actor.type] ?? ""}`,
        Channel: ({ pusher_id }) =>
          pusher_id &&
          html`<span class="name">${names.get(pusher_id) ?? html`A deleted channel ${shortId(pusher_id)}`}</span>`,
        Target: (line) => subject(context, subjectNames, line),
        When: ({ created_at }) => dayAndTime(new Date(created_at), context.now),
      },
      emptyState({
        icon: chosen ? "search" : "person",
        title: before ? "No older entries" : chosen ? "No matching entries" : "No entries yet",
        act: (before !== null || chosen) && { href: at, label: "Show all entries" },
      }),
      { headings: list.headings, wide: ["Via"] },
    )}
    ${list.ways}
    ${
      data.length > 0 &&
      html`<details class="more"><summary>About this log</summary><p class="hint">The log stores no alert texts or
        secrets. Alert titles are shown as they are now. The database prevents entries from being changed or removed
        early. The file contains the newest ${MOST_LINES.toLocaleString("en")} matching entries.
        <code>list_audit_events</code> returns all of them.</p></details>`
    }`,
    { styles: ["history", "webhooks"] },
  );
}

/** The columns of the file, each of a line and the names of channels. */
const COLUMNS: Record<string, (line: AuditLogRow, names: ReadonlyMap<string, string>) => string | null> = {
  at: ({ created_at }) => created_at,
  operation: ({ operation }) => operation,
  actor_type: ({ actor }) => actor.type,
  actor_id: ({ actor }) => actor.id,
  actor_name: ({ actor }) => actor.name,
  member_id: ({ actor }) => actor.member_id,
  transport: ({ transport }) => transport,
  channel_id: ({ pusher_id }) => pusher_id,
  channel: ({ pusher_id }, names) => names.get(pusher_id ?? "") ?? null,
  subject_id: ({ subject_id }) => subject_id,
  status: ({ status }) => status,
  line_id: ({ id }) => id,
  failed_runs: ({ count }) => count?.toString() ?? null,
  changed: ({ changed }) => changed?.join(" ") ?? null,
};

async function file(context: MemberPageContext): Promise<Response> {
  const channels = await listChannels(context);
  const filter = resolveChannel(filterOf(context), channels) ?? filterOf(context);
  const names = namesOf(channels);
  const lines = await readNewestRows((page) => context.call("list_audit_events", { ...filter, ...page }), MOST_LINES);
  const cells = Object.values(COLUMNS);
  const rows = lines.rows.map((line) => cells.map((cell) => cell(line, names)));
  return csvResponse("audit-log", [Object.keys(COLUMNS), ...rows]);
}

export const AUDIT_PAGES: readonly ConsolePage[] = [
  defineMemberPage("GET", "/audit", page),
  defineMemberPage("GET", "/audit.csv", file),
];
