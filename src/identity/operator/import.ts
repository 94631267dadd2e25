// `belfry import`: a file of `belfry export` on another server, in one transaction: whole or not at all, whatever ends it. A
// workspace that is there already stays as it is, so a second run changes nothing. No line may be longer than it can be: what
// is no such file ends early, and not in memory.

import { randomBytes } from "node:crypto";
import type { SqlEntityManager } from "@mikro-orm/sql";
import { createAssetUrls } from "../../effects/assets/urls.ts";
import { parseId, showId } from "../../model/domain/ids.ts";
import { wordsOf } from "../../model/domain/words.ts";
import { ApiError, conflict, invalidRequest } from "../../model/errors.ts";
import { LIMITS } from "../../model/limits.ts";
import { need } from "../../model/need.ts";
import { run } from "../../store/db/statement.ts";
import { makeWanted } from "../../store/queries/alert_words.ts";
import {
  CARRIED,
  type Carried,
  type CarriedKind,
  presentWorkspaces,
  readSchema,
  takenHandles,
} from "../../store/queries/carried.ts";
import { createSeal } from "../../store/secret/seal.ts";
import { refuseOtherSecret } from "../auth/secret_check.ts";
import { auditComing } from "./audit.ts";
import { FORMAT } from "./export.ts";

/** @throws 422 for a line that is longer, and for what is no UTF-8. */
export async function* linesOf(bytes: AsyncIterable<Uint8Array>, most: number): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const read = (part: Uint8Array, stream: boolean) => {
    try {
      return decoder.decode(part, { stream });
    } catch {
      throw invalidRequest("The file is no text in UTF-8; name one that belfry export has made.", "file");
    }
  };
  let held: string[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    const [first = "", ...rest] = read(chunk, true).split("\n");
    const parts = [first, ...rest];
    for (const [i, part] of parts.entries()) {
      held.push(part);
      length += part.length;
      if (length > most)
        throw invalidRequest(
          "A line of the file is longer than any that belfry export writes; name one that it has made.",
          "file",
        );
      if (i === parts.length - 1) break;
      yield held.join("");
      held = [];
      length = 0;
    }
  }
  held.push(read(new Uint8Array(), false));
  const last = held.join("");
  if (last !== "") yield last;
}

type Em = SqlEntityManager;
type Row = Record<string, unknown>;

const AT_ONCE = 500;
const CHARACTERS_AT_ONCE = 4_000_000;

export interface Import {
  bytes: AsyncIterable<Uint8Array>;
  dryRun: boolean;
  /** Those of the server that reads: under the one webhooks get new secrets, and files their addresses below the other. */
  secret: string;
  publicUrl: string;
}

export interface Imported {
  imported: string[];
  already_there: string[];
  rows: Partial<Record<CarriedKind, number>>;
}

/** @throws 422 for what is no whole file of this version, 409 for what somebody else on this server has. */
export async function importWorkspaces(em: Em, asked: Import): Promise<Imported> {
  try {
    return await inTransaction(em, asked.dryRun, async (inside) => {
      await refuseOtherSecret(inside, asked.secret);
      const result = await readAll(inside, asked);
      for (const id of result.imported)
        await auditComing(inside, "import", need(parseId("wsp", id), "it was shown as one"), id);
      return result;
    });
  } catch (error) {
    throw refusalOf(error);
  }
}

async function readAll(em: Em, asked: Import): Promise<Imported> {
  const lines = linesOf(asked.bytes, LIMITS.export_line);
  await checkHead(em, (await lines.next()).value);
  const puts = putting(em, asked);
  let held: Row[] = [];
  let characters = 0;
  let at: Carried | null = null;
  const flush = async () => {
    if (at && held.length > 0) await puts.put(at, held);
    held = [];
    characters = 0;
  };
  let end: Row | null = null;
  for await (const line of lines) {
    if (end) throw broken("goes on after its last line");
    const { kind, row, ...more } = parsed(line);
    if (kind === "end") {
      end = more;
      continue;
    }
    const next = CARRIED.find((one) => one.kind === kind);
    if (!next || !isRow(row)) throw broken("has a line that belfry export does not write");
    if (next !== at || held.length === AT_ONCE || characters > CHARACTERS_AT_ONCE) await flush();
    at = next;
    held.push(row);
    characters += line.length;
  }
  await flush();
  if (!end) throw broken("ends too early: its last line is missing. Copy it again, or export again");
  if (JSON.stringify(end.lines) !== JSON.stringify(puts.read))
    throw broken("lacks lines that its last line counts");
  return puts.result();
}

const isRow = (value: unknown): value is Row =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function parsed(line: string): Row {
  try {
    const value: unknown = JSON.parse(line);
    if (isRow(value)) return value;
  } catch {
    // Said below.
  }
  throw broken("has a line that is no JSON object, as one that was cut");
}

async function checkHead(em: Em, line: string | undefined): Promise<void> {
  const { belfry, format, schema } = line === undefined ? {} : parsed(line);
  if (belfry !== "export" || format !== FORMAT) throw broken("does not begin as one of belfry export");
  if (schema !== need((await run(em, readSchema, {}))[0], "a sum has a row").schema)
    throw conflict(
      "The file was made by another version of Belfry, whose rows have other columns. Bring both servers to one version and export again.",
    );
}

/** What puts rows into the tables, and counts them. */
function putting(em: Em, { secret, publicUrl }: Import) {
  const seal = createSeal(secret, "webhook secrets");
  const { urlOf } = createAssetUrls(secret, publicUrl);
  const read: Imported["rows"] = {};
  let workspaces: string[] = [];
  let present: string[] = [];
  const channels = new Set<string>();

  /** What a row is on this server. */
  const here: Partial<Record<CarriedKind, (row: Row) => Row>> = {
    channel: (row) =>
      typeof row.image_asset_id === "string" ? { ...row, image_url: urlOf(row.image_asset_id) } : row,
    // Nobody knows it: the owner makes another one before the endpoint is enabled.
    webhook: (row) => ({
      ...row,
      secret: `\\x${seal.seal(randomBytes(32).toString("base64url")).toString("hex")}`,
    }),
  };

  return {
    read,
    async put({ kind, put }: Carried, rows: Row[]): Promise<void> {
      read[kind] = (read[kind] ?? 0) + rows.length;
      if (kind === "workspace") {
        const ids = rows.map(({ id }) => String(id));
        const there = (await run(em, presentWorkspaces, { ids })).map(({ id }) => id);
        present = [...present, ...there];
        workspaces = [...workspaces, ...ids.filter((id) => !there.includes(id))];
      }
      if (workspaces.length === 0) return;
      if (kind === "channel" && present.length === 0) await refuseTaken(em, rows);
      const prepare = here[kind];
      const [done] = await run(em, put, { workspaces, rows: prepare ? rows.map(prepare) : rows });
      if (kind === "channel")
        for (const { id, workspace_id } of rows)
          if (workspaces.includes(String(workspace_id))) channels.add(String(id));
      if (kind === "alert")
        await makeFindable(
          em,
          rows.filter(({ pusher_id }) => channels.has(String(pusher_id))),
        );
      if (present.length === 0 && done?.come !== rows.length)
        throw broken(`has a ${kind} that belongs to nothing in it`);
    },
    result: (): Imported => ({
      imported: workspaces.map((id) => showId("wsp", id)),
      already_there: present.map((id) => showId("wsp", id)),
      rows: workspaces.length > 0 ? read : {},
    }),
  };
}

/** Words by which searches find alerts that have just come. Who wrote them is not known here. */
export async function makeFindable(em: Em, rows: readonly Row[]): Promise<void> {
  const items = rows.map(({ id, title, body }) => ({
    id: String(id),
    subject: showId("alr", String(id)),
    words: wordsOf(String(title), typeof body === "string" ? body : null),
  }));
  await run(em, makeWanted, { items });
}

/** @throws 409 that names the handles: they are this server's own. */
async function refuseTaken(em: Em, rows: Row[]): Promise<void> {
  const taken = await run(em, takenHandles, { handles: rows.map(({ handle }) => String(handle)) });
  if (taken.length > 0)
    throw conflict(
      `This server has channels, or had them, with handles that the file has, too: ${taken.map(({ handle }) => handle).join(", ")}. Delete those first (belfry delete-pusher), or import on a server that was not started yet.`,
    );
}

const broken = (what: string) => invalidRequest(`The file ${what}.`, "file");

const UNIQUE = "23505";
/** Data exceptions, and constraints that a row of the file breaks. */
const OF_ROWS = /^(22|23)/;

/** What the database says of a row quotes it, so it is said again. */
function refusalOf(error: unknown): unknown {
  if (error instanceof ApiError) return error;
  const { code = "" } = error as { code?: string };
  if (code === UNIQUE)
    return conflict(
      "Something in the file is on this server already, in another workspace: a channel's handle, an invite's code, a key or an id.",
    );
  return OF_ROWS.test(code) ? broken("has a row that this server's tables do not take") : error;
}

/** Ends the transaction of a dry run. */
class Undone extends Error {}

/** What `work` answers; it stays, unless it was a dry run. @throws what it throws, and nothing stays. */
export async function inTransaction<T>(
  em: SqlEntityManager,
  dryRun: boolean,
  work: (inside: SqlEntityManager) => Promise<T>,
): Promise<T> {
  let answer: T | undefined;
  try {
    return await em.transactional(async (inside) => {
      answer = await work(inside as SqlEntityManager);
      if (dryRun) throw new Undone();
      return answer;
    });
  } catch (error) {
    if (error instanceof Undone) return answer as T;
    throw error;
  }
}
