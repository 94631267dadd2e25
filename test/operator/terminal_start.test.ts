// A first start in a terminal, without a setting of the address. The welcome is among lines for people. At the printed
// address passkeys and push work in browsers, for every address of this machine.

import { spawn } from "node:child_process";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { formatLogForTerminal } from "../../src/program/boot/log.ts";
import { freePort } from "../support/free_port.ts";
import { createChildEnvironment, prepareCluster, temporaryFolder } from "../support/processes.ts";
import { isMissing } from "../support/requirements.ts";
import { waitFor } from "../support/wait.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

test.skipIf(isMissing("script"))("a first start is read, and answers at every name of this machine", async () => {
  const dataDir = prepareCluster(join(folder.path, "data"));
  const port = await freePort();
  const child = spawn("script", ["-qec", `exec ${process.execPath} src/main.ts`, "/dev/null"], {
    cwd: join(import.meta.dirname, "../.."),
    env: createChildEnvironment({ DATA_DIR: dataDir, PORT: String(port), LOG_LEVEL: "info" }),
    stdio: ["pipe", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += chunk));
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const url = `http://localhost:${port}`;
  await waitFor(() => expect(said).toContain(`Belfry listens on ${url}`));
  // Lines of the log come a moment later than what is printed.
  const line = /^\d\d:\d\d:\d\d {2}Applied \d+ migrations?\./m;
  await waitFor(() => expect(said).toMatch(line));
  expect(said).toContain(`Console     ${url}/console/welcome#`);
  expect(said).not.toMatch(/^\{/m);
  const six = Object.values(networkInterfaces())
    .flat()
    .some((at) => at?.address === "::1");
  for (const host of ["localhost", "127.0.0.1", ...(six ? ["[::1]"] : [])]) {
    expect((await fetch(`http://${host}:${port}/readyz`)).status).toBe(200);
    // A cookie of one name is not sent to another, so the console has one.
    const { headers } = await fetch(`http://${host}:${port}/console/sign-in`, { redirect: "manual" });
    expect(headers.get("location")).toBe(host === "localhost" ? null : `${url}/console/sign-in`);
  }
  child.stdin.write("\x03");
  await ended;
  expect(said).toMatch(/^\d\d:\d\d:\d\d {2}stopped\r?$/m);
  for (const host of ["127.0.0.1", "[::1]"])
    expect(await fetch(`http://${host}:${port}/readyz`).catch(() => null)).toBeNull();
});

test("a line for a person has its facts and its stack, and no sequence reaches the terminal", () => {
  const line = JSON.stringify({
    ...{ level: 50, time: "2026-11-23T08:00:01.123Z", request_id: "r", status: 500, path: "/a\u001b[2J" },
    ...{ err: { type: "Error", message: "no", stack: "Error: no\n    at here" }, msg: "page failed" },
  });
  expect(formatLogForTerminal(`${line}\nnot json\n`)).toBe(
    "08:00:01  error: page failed  status=500  path=/a\ufffd[2J\nError: no\n    at here\nnot json\n",
  );
});
