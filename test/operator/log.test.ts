// The log: lines are written together, none is lost when the process ends by itself, however it does, and a warning
// does not wait.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type BatchedLogStream, batchLogLines } from "../../src/program/boot/log.ts";
import { type RunningServer, runProgram, startServer, temporaryFolder } from "../support/processes.ts";
import { prepareStartedService } from "../support/started_service.ts";
import { waitFor } from "../support/wait.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

/** Runs this after `log`, the log of a service, is there. */
const logging = (code: string) =>
  runProgram(
    process.execPath,
    [
      "--input-type=module",
      "-e",
      `const { createLogs } = await import("${import.meta.dirname}/../../src/program/boot/log.ts");
       const { log, requests } = createLogs({ logLevel: "info" });
       const say = (n) => { for (let i = 0; i < n; i++) requests.info({ i }, "request"); };
       ${code}`,
    ],
    {},
  );

const REQUESTS = 1_000;

/** The numbers of the requests whose lines are there, in order. */
const told = (stderr: string) => [...stderr.matchAll(/^\{.*"i":(\d+),"msg":"request"\}$/gm)].map(([, i]) => Number(i));

const ALL = Array.from({ length: REQUESTS }, (_, i) => i);

test.each([
  ["nothing is left to do", `say(${REQUESTS})`, 0],
  ["it leaves", `say(${REQUESTS}); process.exit(3)`, 3],
  ["an uncaught error", `say(${REQUESTS}); throw new Error("crashed")`, 1],
  ["an uncaught promise", `say(${REQUESTS}); Promise.reject(new Error("crashed")); setTimeout(() => {}, 1e6)`, 1],
])("every line is there when %s", async (_, code, exit) => {
  const ended = await logging(code);
  expect(ended.code).toBe(exit);
  expect(told(ended.stderr)).toEqual(ALL);
});

test("a process that is killed has logged its errors", async () => {
  const { stderr } = await logging(
    `say(3); log.error({}, "a fault"); say(3); process.kill(process.pid, "SIGKILL"); setTimeout(() => {}, 1e6)`,
  );
  // The three after it are what a kill costs.
  expect(told(stderr)).toEqual([0, 1, 2]);
  expect(stderr).toContain("a fault");
});

test("values that may contain a secret are cut in the log", async () => {
  const { stderr } = await logging(`log.info({ request: { token: "bfk_secret", path: "/" } }, "x")`);
  expect(stderr).toContain('"request":{"token":"(cut)","path":"/"}');
});

describe("lines", () => {
  const INFO = 30;
  const ERROR = 50;
  let written: string[];
  let lines: BatchedLogStream;
  beforeAll(() => {
    written = [];
    lines = batchLogLines({ write: (piece) => written.push(piece) });
  });
  const say = (line: string, level = INFO) => {
    lines.lastLevel = level;
    lines.write(line);
  };

  test("wait for each other, but not for long", async () => {
    say("a\n");
    say("b\n");
    expect(written).toEqual([]);
    await waitFor(() => expect(written).not.toEqual([]));
    expect(written.splice(0)).toEqual(["a\nb\n"]);
  });

  test("do not wait when they are many", () => {
    const line = `${"x".repeat(99)}\n`;
    for (let i = 0; i < 1_000; i++) say(line);
    lines.flush();
    expect(written.join("") === line.repeat(1_000)).toBe(true);
    expect(written.length).toBeLessThan(10);
    written.length = 0;
  });

  test("of several processes on one standard error go in whole pieces, which the system does not cut", () => {
    const own: string[] = [];
    const shared = batchLogLines({ write: (piece) => own.push(piece) }, 1_000);
    const line = `${"é".repeat(150)}\n`;
    for (let i = 0; i < 10; i++) shared.write(line);
    shared.write(line.repeat(5));
    shared.flush();
    expect(own).toEqual([line.repeat(3), line.repeat(3), line.repeat(3), line, line.repeat(5)]);
  });

  test("go with an error that comes after them", () => {
    say("a\n");
    say("b\n", ERROR);
    expect(written.splice(0)).toEqual(["a\nb\n"]);
  });
});

describe("a service that is stopped", () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await startServer(await prepareStartedService(folder.path));
  });
  afterAll(() => server.stop("SIGKILL"));

  test("has a line for every request, and the last word is that it stopped", async () => {
    const answers = await Promise.all(
      Array.from({ length: 300 }, async (_, i) => (await fetch(`${server.url}/no-${i}-where`)).status),
    );
    expect(new Set(answers)).toEqual(new Set([404]));
    await server.stop();
    await waitFor(() => expect(server.log()).toContain('"stopped"'));
    const lines = server
      .log()
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const asked = lines.filter(({ msg, client }) => msg === "request" && client !== null);
    // A first start makes a channel by a request of its own, which comes over no network.
    const paths = asked.map(({ path }) => path);
    expect(new Set(paths)).toEqual(new Set(Array.from({ length: 300 }, (_, i) => `/no-${i}-where`)));
    expect(paths.length).toBe(300);
    expect(lines.at(-1).msg).toBe("stopped");
  });
});
