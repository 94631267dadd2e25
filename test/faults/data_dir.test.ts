// Data folders that the service must not use, as a process reports them. It prints one line with the setting and the
// solution, and exits with a code, without a stack. No file of the folder is changed.
// test/faults/embedded_postgres.test.ts has the folders that the embedded database refuses.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, chownSync, lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runBelfry, runProgram, startServer, temporaryFolder } from "../support/processes.ts";
import { skipForReason } from "../support/requirements.ts";
import { World } from "../support/world.ts";

const folder = temporaryFolder();
let template: string;
beforeAll(async () => {
  template = join(folder.path, "template");
  await (await startServer(template)).stop();
});
const mounts: string[] = [];
afterAll(() => {
  for (const path of mounts) spawnSync("umount", [path]);
  folder.remove();
});

let copies = 0;
const copyOf = () => {
  const path = join(folder.path, `copy-${++copies}`);
  // With owners, as cp -a has them.
  spawnSync("cp", ["-a", template, path]);
  return path;
};

/**
 * Files of a folder that change by time alone: the service's lock, and PostgreSQL's, which stays when a signal ended
 * it.
 */
const LOCKS = ["instance.lock", "postgres/postmaster.pid"];

/** The contents of a folder, except its locks. */
function contents(dataDir: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(dataDir, { recursive: true, encoding: "utf8" }).sort()) {
    if (LOCKS.includes(name)) continue;
    const path = join(dataDir, name);
    const file = lstatSync(path).isFile();
    found[name] = file ? createHash("sha256").update(readFileSync(path)).digest("hex") : "";
  }
  return found;
}

/** Starts the service on it; answers the one line that the service ends with. */
async function refused(dataDir: string, settings: Record<string, string> = {}, setting = "DATA_DIR") {
  const before = contents(dataDir);
  const all = { DATA_DIR: dataDir, PORT: "0", ...settings };
  const { code, stdout, stderr } = await runProgram(process.execPath, ["src/main.ts"], all);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(new RegExp(`^belfry: ${setting} [^\\n]*\\.\\n$`));
  expect(stderr).not.toMatch(/\bat .*\.ts:|node:internal/);
  expect(contents(dataDir)).toEqual(before);
  return stderr;
}

test("a partial restore, by the service and by a command", async () => {
  const dataDir = copyOf();
  rmSync(join(dataDir, "postgres/global"), { recursive: true });
  expect(await refused(dataDir)).toMatch(
    new RegExp(`DATA_DIR \\(${dataDir}\\) is incomplete: .*postgres/global.* is missing.*Restore the folder`),
  );
  const command = await runBelfry(["keys", "list"], { DATA_DIR: dataDir });
  expect(command).toMatchObject({ stdout: "", code: expect.any(Number) });
  expect(command.code).not.toBe(0);
  expect(command.stderr).toContain("is incomplete");
});

test("a missing secret of a database that was used with one", async () => {
  const dataDir = copyOf();
  rmSync(join(dataDir, "secret"));
  expect(await refused(dataDir, {}, "SECRET")).toMatch(
    /SECRET is missing.*DATA_DIR.*Restore .*\/secret, or set SECRET/,
  );
  const secret = readFileSync(join(template, "secret"), "utf8").trim();
  const server = await startServer(dataDir, { settings: { SECRET: secret } });
  await server.stop();
});

test("by URL: no SECRET, and one that the database was not used with", async () => {
  const world = await World.open();
  try {
    await world.rest("create_webhook", { url: "https://example.org/", events: ["alert.sent"] });
    await world.leave();
    const { SECRET: _, ...without } = world.settings;
    const dataDir = world.settings.DATA_DIR!;
    expect(await refused(dataDir, without, "SECRET")).toContain("is required with DATABASE_URL");
    const other = { ...without, SECRET: "another secret of sufficient length" };
    expect(await refused(dataDir, other, "SECRET")).toMatch(/does not match this database/);
  } finally {
    await world.remove();
  }
});

test("of another user", async ({ skip }) => {
  skip(skipForReason(process.getuid!() === 0 ? null : "this user is not root"));
  const foreign = copyOf();
  const nobodys = 54_321;
  for (const name of readdirSync(foreign, { recursive: true, encoding: "utf8" }))
    if (name.startsWith("postgres")) chownSync(join(foreign, name), nobodys, nobodys);
  expect(await runProgram(process.execPath, ["src/main.ts"], { DATA_DIR: foreign, PORT: "0" })).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^belfry: .*belong to the user 54321.*\n$/),
  });
});

test("read-only, in whole", async ({ onTestFinished, skip }) => {
  const dataDir = copyOf();
  if (process.getuid!() === 0) {
    // File modes do not restrict root.
    const bound = spawnSync("mount", ["--bind", dataDir, dataDir]).status === 0;
    skip(skipForReason(bound ? null : "no read-only folder: this root may not mount"));
    mounts.push(dataDir);
    spawnSync("mount", ["-o", "remount,ro,bind", dataDir]);
  } else {
    chmodSync(dataDir, 0o500);
    onTestFinished(() => chmodSync(dataDir, 0o700));
  }
  expect(await refused(dataDir)).toMatch(/DATA_DIR \(.*\) cannot be used: .*(read-?only|EROFS|EACCES|permission)/i);
});

test("a file in its place, and a folder that cannot be made", async () => {
  const file = join(folder.path, "file");
  writeFileSync(file, "text");
  for (const dataDir of [file, join(file, "below")]) {
    const { code, stderr } = await runProgram(process.execPath, ["src/main.ts"], { DATA_DIR: dataDir, PORT: "0" });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^belfry: DATA_DIR \([^\n]*\.\n$/) });
  }
  expect(readFileSync(file, "utf8")).toBe("text");
});
