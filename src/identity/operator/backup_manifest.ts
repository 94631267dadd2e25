// The manifest of a backup: its fields, the allowed names of its parts, and its validation. It may have been changed
// since the backup, so no value is used as a name, path or SQL before validation.

import { z } from "zod";
import { conflict, invalidRequest } from "../../model/api_error.ts";
import { compareMigrations } from "../../store/db/migrate.ts";
import {
  BACKUP_MANIFEST_FILE,
  type BackupManifestPiece,
  type BackupPieceStore,
  readBackupPieceBytes,
} from "./backup_storage.ts";

export const BACKUP_FORMAT = 1;

/** A JSON text that is longer cannot be parsed. It names a million files. */
const MAX_MANIFEST_BYTES = 256 * 2 ** 20;
/** `belfry backup` begins another part at 8 MiB, and uploaded files are smaller. */
const MAX_PIECE_BYTES = 16 * 2 ** 20;

export const SECRET_PIECE = "secret";
export const getFilePieceName = (id: string) => `file-${id}`;
/** The parts of a table are counted from 0. */
export const getRowsPieceName = (table: string, part: number) =>
  `rows-${table}-${String(part + 1).padStart(6, "0")}.gz`;

const piece = z.object({
  name: z.string(),
  bytes: z.int().min(0).max(MAX_PIECE_BYTES),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

/** As PostgreSQL writes it: another spelling of an id would be another file. */
const fileId = z.string().regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);

const table = z
  .object({
    name: z.string().regex(/^(auth\.)?[A-Za-z_][A-Za-z0-9_]*$/),
    columns: z.array(z.string()),
    rows: z.int().min(0),
    pieces: z.array(piece),
  })
  .refine(({ name, pieces }) => pieces.every((one, i) => one.name === getRowsPieceName(name, i)));

const isUnique = (names: readonly string[]) => new Set(names).size === names.length;

/** The fields of a manifest, which is written last. */
export const BackupManifest = z.object({
  belfry: z.literal("backup"),
  /** The version of the format. A reader accepts its own version only. */
  format: z.int(),
  version: z.string(),
  made_at: z.string(),
  postgresql: z.string(),
  migrations: z.array(z.string()),
  tables: z.array(table).refine((tables) => isUnique(tables.map(({ name }) => name))),
  sequences: z.array(
    z.object({
      name: z.string(),
      last: z
        .string()
        .regex(/^\d{1,19}$/)
        .nullable(),
    }),
  ),
  files: z
    .array(piece.extend({ id: fileId }).refine(({ id, name }) => name === getFilePieceName(id)))
    .refine((files) => isUnique(files.map(({ id }) => id))),
  /** Files that rows refer to but the store lacks. */
  missing_files: z.array(fileId),
  /** Null: it was left out on purpose. */
  secret: piece.refine(({ name }) => name === SECRET_PIECE).nullable(),
});
export type BackupManifest = z.output<typeof BackupManifest>;

/** @throws 409 for a server with more files than one manifest can name. */
export function serializeManifest(manifest: BackupManifest): Buffer {
  const bytes = Buffer.from(`${JSON.stringify(manifest)}\n`);
  if (bytes.length > MAX_MANIFEST_BYTES)
    throw conflict(
      "quota_reached",
      "This server has more uploaded files than belfry backup supports. Back up the database and the bucket " +
        "separately (docs/how-to/backup.md).",
    );
  return bytes;
}

/** The numbers of a backup that both commands report. */
export const countBackupContents = ({ tables, files }: BackupManifest) => ({
  rows: tables.reduce((sum, { rows }) => sum + rows, 0),
  files: files.length,
});

export const listBackupPieces = ({ tables, files, secret }: BackupManifest): BackupManifestPiece[] => [
  ...tables.flatMap(({ pieces }) => pieces),
  ...files,
  ...(secret ? [secret] : []),
];

/** @throws 422 for an invalid manifest, and for one that this version cannot read */
export async function readManifest(box: BackupPieceStore, version: string): Promise<BackupManifest> {
  const bytes = await readBackupPieceBytes(box, BACKUP_MANIFEST_FILE, MAX_MANIFEST_BYTES);
  let said: unknown;
  try {
    said = JSON.parse(Buffer.from(bytes ?? "").toString("utf8"));
  } catch {
    throw invalidRequest(
      "backup_invalid",
      `${box.where} is damaged: its ${BACKUP_MANIFEST_FILE} is not valid JSON. ` +
        "Copy it again, or restore another backup.",
      "from",
    );
  }
  const of = said as { belfry?: unknown; format?: unknown; version?: unknown } | null;
  if (of?.belfry !== "backup")
    throw invalidRequest(
      "backup_invalid",
      `${box.where} is not a Belfry backup. Specify a folder that belfry backup created.`,
      "from",
    );
  const newer =
    `was made by a version newer than ${version}. Restore it with the version named in its ` +
    `${BACKUP_MANIFEST_FILE}, or with a later one.`;
  if (typeof of.format === "number" && of.format > BACKUP_FORMAT)
    throw invalidRequest("backup_invalid", `${box.where} ${newer}`, "from");
  const read = BackupManifest.safeParse(said);
  if (!read.success)
    throw invalidRequest(
      "backup_invalid",
      `${box.where} is damaged: its ${BACKUP_MANIFEST_FILE} is not valid.`,
      "from",
    );
  const had = compareMigrations(read.data.migrations);
  if (had.newer.length > 0) throw invalidRequest("backup_invalid", `${box.where} ${newer}`, "from");
  if (had.before)
    throw invalidRequest(
      "backup_invalid",
      `${box.where} was made by a build older than ${had.before}. Restore it with that build, then start ` +
        `${had.before} once on the restored data.`,
      "from",
    );
  return read.data;
}
