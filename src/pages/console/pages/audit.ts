// The audit log for people: each line as a sentence, with its client and time. It is filtered by channel and by actor,
// shown page by page, and exported as a table.

import { name_audit_subjects } from "../../../identity/session/subject_names.ts";
import { ALERT_FIELDS } from "../../../model/fields/alert.ts";
import { CHANNEL_FIELDS } from "../../../model/fields/channel.ts";
import { getFieldLabels } from "../../../model/fields/field_table.ts";
import { WEBHOOK_FIELDS } from "../../../model/fields/webhook.ts";
import { formatLimit } from "../../../model/limits.ts";
import { getUrlHost } from "../../../ui/avatar.ts";
import { buildUrl } from "../../../ui/build_url.ts";
import { type Html, type HtmlContent, html } from "../../../ui/html.ts";
import { renderAuditPhrase, sortableAuditPhrase } from "../audit_phrases.ts";
import { dayAndTime, renderHtmlTable, renderSelectField } from "../components.ts";
import { emptyState } from "../empty_state.ts";
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

/** The end of an id, which differs between lines, and the whole id as a hint. */
const shortId = (id: string): Html =>
  html`<code class="small" title="${id}">${id.slice(0, id.indexOf("_") + 1)}…${id.slice(-6)}</code>`;

/** The names of the subjects of lines, by id. Deleted ones have none. */
async function readSubjectNames(context: MemberPageContext, lines: readonly AuditLogRow[]) {
  const ids = new Set(lines.flatMap(({ subject_id }) => subject_id ?? []));
  if (ids.size === 0) return [];
  const { data } = await context.asMember(name_audit_subjects, { subject_ids: [...ids] });
  return data.map(({ id, name }) => [id, id.startsWith("whk_") ? getUrlHost(name) : name] as const);
}

/** The page of an object. */
function linkOf(base: string, { subject_id: id, pusher_id }: AuditLogRow): string | null {
  if (id?.startsWith("alr_") && pusher_id) return `${base}channels/${pusher_id}/alerts/${id}`;
  if (id?.startsWith("inv_") && pusher_id) return `${base}channels/${pusher_id}/invites/${id}`;
  if (id?.startsWith("psh_")) return `${base}channels/${id}`;
  return id?.startsWith("whk_") ? `${base}webhooks/${id}` : null;
}

/** "Ada sent Low tide": the subject has its present name, as a link where it has a page. */
function sentence({ base }: MemberPageContext, names: ReadonlyMap<string, string>, line: AuditLogRow): Html {
  const { subject_id: id, actor } = line;
  const name = id === null ? undefined : names.get(id);
  const href = linkOf(base, line);
  const subject =
    name &&
    (href
      ? html`<a href="${href}" title="${id}"><bdi>${name}</bdi></a>`
      : html`<strong title="${id}"><bdi>${name}</bdi></strong>`);
  return html`<span class="title sentence"><strong><bdi>${auditActorName(actor)}</bdi></strong> ${renderAuditPhrase(
    line,
    subject || null,
  )}${describeChanges(line)}${outcome(line)}</span>`;
}

/** An attempt of an unknown person has no actor. */
const auditActorName = (actor: AuditLogRow["actor"]): string =>
  actor.type === "session" && actor.id === null ? "Someone" : getActorName(actor);

const FIELD_LABELS: Readonly<Record<string, string>> = {
  ...getFieldLabels({ ...WEBHOOK_FIELDS, ...CHANNEL_FIELDS, ...ALERT_FIELDS }),
  ...{ send_at: "Send time", recurrence: "Repetition" },
};

/** ": title and send time", by the labels of the form. A label such as "HTML" keeps its capitals. */
function describeChanges({ changed }: AuditLogRow): HtmlContent {
  const fields = (changed ?? []).filter((name) => name !== "status");
  if (fields.length === 0) return null;
  const labels = fields.map((name) => FIELD_LABELS[name] ?? name.replaceAll("_", " "));
  const inLine = labels.map((label) => label.replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase()));
  return html`: ${new Intl.ListFormat("en").format(inLine)}`;
}

/** That it failed, and how often. */
function outcome({ status, count, operation }: AuditLogRow): HtmlContent {
  if (status !== "failed") return null;
  if (operation === "reuse_refresh_token") return html` <span class="badge warn">possible theft</span>`;
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

const sortableColumns = (names: ReadonlyMap<string, string>): SortableColumns<AuditLogRow> => ({
  Action: { value: sortableAuditPhrase, first: "asc" },
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
      sortableColumns(names),
      { path: at, query: query(filter) },
    ),
  ]);
  const data = list.rows;
  const seen = [...newest.data, ...data];
  const people = new Map(
    seen.flatMap(({ actor }) => (actor.type === "session" && actor.id ? [[actor.id, getActorName(actor)]] : [])),
  );
  const subjectNames = new Map([...people, ...names, ...(await readSubjectNames(context, data))]);
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
        Action: (line) => sentence(context, subjectNames, line),
        Via: ({ actor, transport }) => `${TRANSPORT_WORDS[transport]}${VIA[actor.type] ?? ""}`,
        Channel: ({ pusher_id }) =>
          pusher_id &&
          html`<span class="name">${names.get(pusher_id) ?? html`A deleted channel ${shortId(pusher_id)}`}</span>`,
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
        secrets. Titles and names of subjects are shown as they are now. The database prevents entries from being
        changed or removed early. The file contains the newest ${MOST_LINES.toLocaleString("en")} matching entries.
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
