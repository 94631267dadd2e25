// Manipulated backups: `belfry restore` writes nothing outside its server, and nothing of a backup that is damaged.

import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { createFolderBackend } from "../../src/effects/assets/asset_store.ts";
import { createS3Backend } from "../../src/effects/assets/s3_backend.ts";
import { openBackupStorage } from "../../src/identity/operator/backup_storage.ts";
import { runBelfryShared } from "../support/processes.ts";
import { type S3Server, s3Settings, startS3Server } from "../support/s3_server.ts";
import { MP3, openConsoleUploads, PNG } from "../support/sample_files.ts";
import { openTestFolder } from "../support/test_folder.ts";
import { freshDatabase, World } from "../support/world.ts";

const { path: folder, at, ends } = openTestFolder();

const VICTIM = "0189aaaa-0000-7000-8000-000000000000";

describe("a manipulated backup", () => {
  let backup: string;
  let settings: Record<string, string>;

  beforeAll(async () => {
    const world = await World.open();
    ends.push(() => world.close());
    const channel = await world.pusher({ handle: "harbour-kept" });
    const image = await openConsoleUploads(world).upload("image", PNG);
    await world.alert(channel.id, { title: "Seen", layout: "image", image_asset_id: image.id, send: true });
    const sound = await openConsoleUploads(world).upload("audio", MP3);
    await world.alert(channel.id, { title: "Heard", audio_asset_id: sound.id, send: true });
    backup = (await runBelfryShared(["backup", at("kept")], world.settings)).json.backup;
    const other = await freshDatabase({ empty: true });
    ends.push(other.remove);
    const { SECRET: _, ...rest } = other.settings as Record<string, string>;
    settings = { ...rest, DATA_DIR: at("data") };
  });

  type Manifest = any;
  const change = (copy: string, how: (manifest: Manifest) => unknown) => {
    const path = join(copy, "manifest.json");
    const manifest = JSON.parse(readFileSync(path, "utf8"));
    how(manifest);
    writeFileSync(path, JSON.stringify(manifest));
  };
  const changed = (how: (manifest: Manifest) => unknown) => (copy: string) => change(copy, how);
  /** A part of our own making, with its right checksum. */
  const plant = (copy: string, name: string) => {
    const bytes = Buffer.from("planted");
    mkdirSync(join(copy, name, ".."), { recursive: true });
    writeFileSync(join(copy, name), bytes);
    return { name, bytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") };
  };
  const fileWithId = (id: string) => (copy: string) =>
    change(copy, ({ files }) => files.push({ ...plant(copy, `file-${VICTIM}`), id }));
  const partNamed = (name: string) => (copy: string) =>
    change(copy, ({ files }) => files.push({ ...plant(copy, name), id: VICTIM }));
  const namesOf = (copy: string) => readdirSync(copy).sort();
  const firstFile = (copy: string) => namesOf(copy).find((name) => name.startsWith("file-"))!;
  const toLink = (copy: string, name: string) => {
    renameSync(join(copy, name), at("elsewhere"));
    symlinkSync(at("elsewhere"), join(copy, name));
  };

  const NOT_OURS = /its manifest\.json is not valid\./;

  // rules#restore
  test.each<[string, (copy: string) => unknown, RegExp]>([
    ["a file's id leads upwards", fileWithId("../../victim/planted"), NOT_OURS],
    ["a file's id is an absolute path", fileWithId("/tmp/planted"), NOT_OURS],
    ["a file's id has a backslash", fileWithId("..\\victim"), NOT_OURS],
    ["a file's id is empty", fileWithId(""), NOT_OURS],
    ["a file's id has a NUL", fileWithId(`${VICTIM}\0`), NOT_OURS],
    ["a file's id is percent-encoded", fileWithId("%2e%2e%2fplanted"), NOT_OURS],
    ["a file's id has slashes that only look so", fileWithId("..∕victim"), NOT_OURS],
    ["a file's id is in capitals", fileWithId(VICTIM.toUpperCase()), NOT_OURS],
    ["a file's id ends with a line break", fileWithId(`${VICTIM}\n`), NOT_OURS],
    ["a part's name leads upwards", partNamed("../planted"), NOT_OURS],
    ["a part's name is in a folder", partNamed("below/planted"), NOT_OURS],
    ["a part has another file's name", partNamed(`file-${VICTIM.replace("8000", "9000")}`), NOT_OURS],
    ["a file comes twice", changed(({ files }) => files.push(files[0])), NOT_OURS],
    ["a table comes twice", changed(({ tables }) => tables.push(tables[0])), NOT_OURS],
    [
      "a table has one part more",
      changed(({ tables }) => {
        const { pieces } = tables.find(({ name }: Manifest) => name === "alert");
        pieces.push(pieces[0]);
      }),
      NOT_OURS,
    ],
    ["a table's name is SQL", changed(({ tables }) => (tables[0].name = 'x"; drop table alert')), NOT_OURS],
    ["the secret is another part", changed((all) => (all.secret.name = "../secret")), NOT_OURS],
    ["a part is larger than any", changed(({ files }) => (files[0].bytes = 2 ** 40)), NOT_OURS],
    ["a missing file is a path", changed(({ missing_files }) => missing_files.push("../x")), NOT_OURS],
    [
      "the last part is changed",
      (copy) => {
        const path = join(copy, "secret");
        const bytes = readFileSync(path);
        bytes[0]! ^= 1;
        writeFileSync(path, bytes);
      },
      /secret has been modified/,
    ],
    ["a part is missing", (copy) => rmSync(join(copy, firstFile(copy))), /file-\S+ is missing/],
    ["a part is a link", (copy) => toLink(copy, firstFile(copy)), /file-\S+ is not a regular file/],
    ["the secret is a link", (copy) => toLink(copy, "secret"), /secret is not a regular file/],
    ["the manifest is a link", (copy) => toLink(copy, "manifest.json"), /manifest\.json is not a regular file/],
    [
      "a part is a folder",
      (copy) => {
        rmSync(join(copy, "secret"));
        mkdirSync(join(copy, "secret"));
      },
      /secret is not a regular file/,
    ],
    [
      "a part grew",
      (copy) => truncateSync(join(copy, "rows-alert-000001.gz"), 2 ** 34),
      /rows-alert-000001\.gz is larger than expected/,
    ],
    [
      "the manifest is huge",
      (copy) => truncateSync(join(copy, "manifest.json"), 2 ** 34),
      /manifest\.json is larger than expected/,
    ],
  ])("is refused when %s, and nothing is written", async (what, manipulate, message) => {
    const copy = at(`copy, ${what}`);
    cpSync(backup, copy, { recursive: true });
    manipulate(copy);
    const before = readdirSync(folder).sort();
    const { code, refusal } = await runBelfryShared(["restore", copy], settings);
    expect(refusal.error.message).toMatch(message);
    expect(code).toBe(1);
    expect(readdirSync(folder).sort()).toEqual(before);
    expect(existsSync(at("data"))).toBe(false);
    rmSync(copy, { recursive: true });
    rmSync(at("elsewhere"), { force: true });
  });

  test("is restored with extra files that it does not name", async () => {
    const copy = at("with more");
    cpSync(backup, copy, { recursive: true });
    plant(copy, `file-${VICTIM}`);
    plant(copy, "rows-alert-000009.gz");
    const { code, json } = await runBelfryShared(["restore", copy], settings);
    expect({ code, json }).toMatchObject({ code: 0, json: { files: 2 } });
    expect(readdirSync(at("data/assets"))).toHaveLength(2);
    expect(readdirSync(at("data/assets"))).not.toContain(VICTIM);
  });
});

describe("a store of files", () => {
  let provider: S3Server;
  beforeAll(async () => {
    provider = await startS3Server();
    ends.push(() => provider.close());
  });
  const bucket = () => {
    const { endpoint } = provider;
    return { endpoint, bucket: "kept", region: "auto", accessKeyId: "AKIATEST", secretAccessKey: "not-a-secret" };
  };
  const STORES = {
    folder: async () => createFolderBackend(at("files/below")),
    bucket: async () => createS3Backend(bucket(), 10_000),
    "folder of backups": async () =>
      (await openBackupStorage(at("files/backups"), {} as never)).getBackup("belfry-20260101T000000Z"),
    "bucket of backups": async () => {
      const set = s3Settings("X", provider);
      return (
        await openBackupStorage("s3://kept/backups", {
          backupS3Endpoint: set.X_ENDPOINT!,
          backupS3Region: set.X_REGION!,
          backupS3AccessKeyId: set.X_ACCESS_KEY_ID!,
          backupS3SecretAccessKey: set.X_SECRET_ACCESS_KEY!,
        })
      ).getBackup("belfry-20260101T000000Z");
    },
  };
  const BAD = [
    "",
    ".",
    "..",
    "../x",
    "x/../../y",
    "/x",
    "x/y",
    "x\\y",
    "x\0y",
    "x\0",
    ".hidden",
    "a..b",
    "x y",
    "x\n",
  ].concat(["%2e%2e%2fx", "..%2fx", "x∕y", "x．．y", "C:x", "x".repeat(201)]);

  // rules#file-names
  test.each(Object.keys(STORES) as (keyof typeof STORES)[])("refuses names with a path, in a %s", async (kind) => {
    const store = await STORES[kind]();
    const calls = provider.calls.length;
    for (const name of BAD) {
      await expect(store.put(name, Buffer.from("x")), name).rejects.toThrow(/^has a name that is not allowed$/);
      // A backup that does not exist has no parts at all, under any name.
      if (kind !== "folder of backups") await expect(store.get(name), name).rejects.toThrow(/not allowed/);
    }
    expect(provider.calls).toHaveLength(calls);
    await store.put(VICTIM, Buffer.from("right"));
    expect(Buffer.from((await store.get(VICTIM))!).toString()).toBe("right");
    await expect(store.get(VICTIM, 4)).rejects.toThrow(/larger than expected/);
    if (kind === "folder of backups")
      for (const name of BAD) await expect(store.get(name), name).rejects.toThrow(/not allowed/);
  });

  // rules#file-names
  test("a folder neither reads nor writes through a link in it", async () => {
    const store = createFolderBackend(at("files/linked"));
    writeFileSync(at("files/target"), "kept");
    symlinkSync(at("files/target"), at(`files/linked/${VICTIM}`));
    await expect(store.get(VICTIM)).rejects.toThrow(/not a regular file/);
    await expect(store.put(VICTIM, Buffer.from("planted"))).rejects.toThrow(/not a regular file/);
    expect(readFileSync(at("files/target"), "utf8")).toBe("kept");
    await store.remove(VICTIM);
    expect(existsSync(at("files/target"))).toBe(true);
  });
});
