// Messages of backups and exports whose files the system refuses: the path, the cause and the way out.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeFileSystemError } from "../../src/store/config/file_system_error_messages.ts";
import { ROOT, runBelfryShared, runProgram } from "../support/processes.ts";
import { skipForReason } from "../support/requirements.ts";
import { mountSmallDisk, type SmallDisk } from "../support/small_disk.ts";
import { openTestFolder } from "../support/test_folder.ts";
import { World } from "../support/world.ts";

const { at, ends } = openTestFolder();
let world: World;
let settings: Record<string, string>;
beforeAll(async () => {
  world = await World.open();
  ends.push(() => world.close());
  settings = world.settings as Record<string, string>;
});

/** Runs a command that must fail with one line. */
async function refusal(...args: string[]): Promise<{ code: string; message: string }> {
  const { code, stdout, stderr, refusal } = await runBelfryShared(args, settings);
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(/^\{[^\n]*\}\n$/);
  return refusal.error;
}

// rules#file-messages
test("a file in the way of the backup folder is named", async () => {
  const file = at("a-file");
  writeFileSync(file, "");
  for (const target of [file, join(file, "below")])
    expect(await refusal("backup", target)).toMatchObject({
      code: "file_inaccessible",
      message: expect.stringContaining("A file exists where the folder "),
    });
  expect((await refusal("backup", file)).message).toContain(file);
  expect(await refusal("export", "--to", join(file, "x"))).toMatchObject({ code: "file_inaccessible" });
  expect((await refusal("export", "--to", file)).message).toContain(
    `${file} or ${file}.part already exists. Specify a file`,
  );
  expect((await refusal("import", join(file, "x"))).message).toContain("cannot be read (ENOTDIR). Check its path");
  expect(await refusal("restore", file)).toMatchObject({ code: "file_inaccessible" });
});

let disk: SmallDisk | string = "not mounted";
const prevented = process.getuid?.() === 0 ? null : "this user may not mount";
afterAll(() => typeof disk !== "string" && disk.remove());

// rules#file-messages
test.skipIf(skipForReason(prevented))("a full disk is named, and nothing is left there", async ({ skip }) => {
  disk = mountSmallDisk(at(""), 4);
  if (typeof disk === "string") return skip(skipForReason(disk));
  const { path } = disk;
  mkdirSync(join(path, "backups"));
  disk.fill();
  const says = `The disk that contains ${path}/backups is full. Free disk space, or choose another folder.`;
  expect(await refusal("backup", `${path}/backups`)).toEqual(expect.objectContaining({ message: says }));
  expect(readdirSync(`${path}/backups`)).toEqual([]);
  const to = join(path, "export.jsonl");
  expect((await refusal("export", "--to", to)).message).toContain(`The disk that contains ${to} is full. `);
  expect([existsSync(to), existsSync(`${to}.part`)]).toEqual([false, false]);
});

const proc = existsSync("/proc/self") ? null : "this system has no /proc";

// rules#file-messages
test.skipIf(skipForReason(proc))("a folder in /proc is named, where Node alone would try forever", async () => {
  const start = await runProgram(process.execPath, ["src/main.ts"], { DATA_DIR: "/proc/belfry/data", PORT: "0" });
  expect(start).toMatchObject({ code: 1, stderr: expect.stringContaining("/proc/belfry does not exist. ") });
});

const closed = (statSync(ROOT).mode & 0o005) === 0o005 ? prevented : "this checkout itself is closed to other users";

// rules#file-messages rules#foreign-folder
test.skipIf(skipForReason(closed))("a folder of another user is named with both users and the commands", () => {
  const folder = at("of-root");
  mkdirSync(folder, { mode: 0o755 });
  const module = join(ROOT, "src/store/config/file_system_error_messages.ts");
  const script = `const { describeFileSystemError } = await import(${JSON.stringify(module)});
    try { (await import("node:fs")).mkdirSync(${JSON.stringify(join(folder, "x/y"))}, { recursive: true }); }
    catch (error) { console.log(describeFileSystemError(error)); }`;
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", script], { uid: 54_321, gid: 54_321 });
  expect(String(stdout)).toBe(
    `${folder} belongs to root (uid 0), and this process runs as uid 54321. Run it as uid 0, or stop Belfry and ` +
      `run "chown -R 54321:54321 ${folder}" as root.\n`,
  );
});

// rules#file-messages
test("each refusal of the system has a cause and a way out, and errors of the network have none", () => {
  const of = (code: string, syscall = "open", path?: string) =>
    describeFileSystemError(Object.assign(new Error("text of the system"), { code, syscall, path }), "/backups");
  for (const code of ["ENOSPC", "EDQUOT", "EROFS", "ENOTDIR", "EEXIST", "EISDIR", "ENOENT", "EIO", "EMFILE"]) {
    expect(of(code, "open", "/backups/x")).toMatch(/^[^.]*\/backups.*\. [A-Z].*\.$/);
    expect(of(code, "open", "/backups/x")).not.toContain("text of the system");
  }
  expect(of("ECONNREFUSED", "connect")).toBeNull();
  expect(describeFileSystemError(new Error("a fault of ours"))).toBeNull();
});
