// Data of another program that can be imported: topics or applications, and past messages. Gotify's database
// (data/gotify.db): applications and their messages. ntfy's: topics with access rules (its auth-file), and cached
// messages (its cache-file).

import type { SenderAdapter } from "../../api/ingest/adapter.ts";
import { gotifyAdapter } from "../../api/ingest/gotify.ts";
import { ntfyAdapter } from "../../api/ingest/ntfy.ts";
import { invalidRequest } from "../../model/api_error.ts";
import { formatLimit, LIMITS } from "../../model/limits.ts";
import type { SqliteRow, SqliteTables } from "./sqlite_tables.ts";

export interface SourceMessage {
  /** Null: it has no readable version. */
  at: Date | null;
  /** In the JSON format of its program's own request. */
  said: object;
}

/** A topic or an application. */
export interface SourceChannel {
  id: string;
  from: string;
  /** Its display name; the name without one. */
  title: string;
  about: string;
  messages: number;
}

export interface ImportSource {
  adapter: SenderAdapter;
  found: readonly SourceChannel[];
  /** Contents that are not imported, each as a fixed sentence. */
  notes: readonly string[];
  /** The messages of a source, the newest first. */
  messages(of: SourceChannel): Iterable<SourceMessage>;
}

/** Collects what is found, each once. */
class SourceChannelCollector {
  readonly #found = new Map<string, SourceChannel>();
  readonly #notes = new Set<string>();

  /** @throws 422 when there are too many. */
  add(one: Omit<SourceChannel, "messages">, messages: number): void {
    const there = this.#found.get(one.id);
    if (there) there.messages += messages;
    else this.#found.set(one.id, { ...one, messages });
    if (this.#found.size > LIMITS.import_channels)
      throw invalidRequest(
        "invalid_file",
        `The file has more than ${formatLimit("import_channels")} topics or applications, so it seems to come from a ` +
          "public server. Create channels for your own topics instead.",
        "file",
      );
  }

  note(sentence: string): void {
    this.#notes.add(sentence);
  }

  get notes(): string[] {
    return [...this.#notes];
  }

  all(): SourceChannel[] {
    return [...this.#found.values()];
  }
}

/** A time in seconds, or as SQLite's text; null for an invalid one, or one before 1970. */
function parseSqliteTime(value: string | number | undefined): Date | null {
  const at =
    typeof value === "number"
      ? new Date(value * 1000)
      : new Date(
          String(value)
            .replace(" ", "T")
            .replace(/(\.\d{3})\d+/, "$1"),
        );
  return at.getTime() > 0 ? at : null;
}

export function readGotifyDatabase(files: readonly SqliteTables[], now: Date): ImportSource {
  const file = files.find((one) => one.has("applications") && one.has("messages"));
  if (!file)
    throw invalidRequest("invalid_file", "The file is not a Gotify database. Specify the path to gotify.db.", "file");
  const counts = new Map<string, number>();
  for (const { application_id } of file.rows("messages", ["application_id"]))
    counts.set(String(application_id), (counts.get(String(application_id)) ?? 0) + 1);
  const finds = new SourceChannelCollector();
  for (const { id, name, description } of file.rows("applications", ["id", "name", "description"], "order by id")) {
    const one = { id: String(id), from: String(name), title: String(name), about: String(description) };
    finds.add(one, counts.get(one.id) ?? 0);
  }
  return {
    adapter: gotifyAdapter,
    found: finds.all(),
    notes: finds.notes,
    *messages({ id }) {
      const columns = ["message", "title", "priority", "extras", "date"];
      for (const row of file.rows("messages", columns, "where application_id = ? order by id desc", [Number(id)])) {
        const at = parseSqliteTime(row.date);
        yield {
          at: at && at > now ? null : at,
          said: {
            message: String(row.message),
            title: row.title,
            priority: Number(row.priority) || 0,
            extras: extrasOf(String(row.extras)),
          },
        };
      }
    },
  };
}

function extrasOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** A topic that an app of UnifiedPush made for itself. */
const OF_APPS = /^up[A-Za-z0-9]{12}$/;

const MESSAGE = [
  ...["time", "message", "title", "priority", "tags", "click", "actions", "content_type", "encoding"],
  ...["attachment_name", "attachment_size", "attachment_url", "mid", "sequence_id", "event"],
];

/** Delivered text messages. Rows of newer versions may be events: a message that was deleted, or read. */
function isOver({ time, encoding, event }: SqliteRow, now: Date): boolean {
  const at = Number(time) * 1000;
  return at > 0 && at <= now.getTime() && encoding === "" && (event === "" || event === "message");
}

export function readNtfyDatabase(files: readonly SqliteTables[], now: Date): ImportSource {
  const cache = files.find((file) => file.has("messages"));
  const access = files.find((file) => file.has("user_access"));
  if (!cache && !access)
    throw invalidRequest(
      "invalid_file",
      "The file is not an ntfy database. Specify the auth-file (user.db), the cache-file (cache.db), or both.",
      "file",
    );
  const finds = new SourceChannelCollector();
  const add = (topic: string, messages: number) => {
    if (OF_APPS.test(topic)) finds.note("UnifiedPush topics are not imported: their apps register new ones.");
    else finds.add({ id: topic, from: topic, title: topic, about: "" }, messages);
  };
  for (const { topic } of access?.rows("user_access", ["topic"], "order by topic") ?? []) {
    // As patterns of LIKE are written.
    const name = String(topic).replaceAll("\\_", "_");
    if (name.includes("%")) finds.note("Access rules with patterns are not imported.");
    else add(name, 0);
  }
  for (const row of cache?.rows("messages", ["topic", "time", "encoding", "event"], "order by topic") ?? [])
    if (isOver(row, now)) add(String(row.topic), 1);
    else
      finds.note("Scheduled messages, messages without text, and updates and deletions of messages are not imported.");
  return {
    adapter: ntfyAdapter,
    found: finds.all(),
    notes: finds.notes,
    *messages({ id }) {
      const deleted = new Set<SqliteRow[string] | undefined>();
      for (const row of cache?.rows("messages", MESSAGE, "where topic = ? order by time desc, id desc", [id]) ?? []) {
        if (row.event === "message_delete") deleted.add(row.sequence_id);
        if (isOver(row, now) && !deleted.has(row.sequence_id || row.mid)) yield keptOf(row);
      }
    },
  };
}

function keptOf(row: SqliteRow): SourceMessage {
  // Attachments in local files are not available, but those at an address are.
  const isElsewhere = row.attachment_url !== "" && Number(row.attachment_size) === 0;
  return {
    at: parseSqliteTime(row.time),
    said: {
      topic: "topic",
      message: String(row.message),
      title: row.title,
      priority: row.priority === 0 ? "" : row.priority,
      tags: row.tags,
      click: row.click,
      actions: row.actions,
      ...(row.sequence_id === row.mid ? {} : { sequence_id: row.sequence_id }),
      markdown: row.content_type === "text/markdown",
      ...(isElsewhere ? { attach: row.attachment_url, filename: row.attachment_name } : {}),
    },
  };
}
