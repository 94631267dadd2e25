// The programs of examples/, run as their README says: each publishes for a handset in another language, which sees what was
// sent before it joined and what is sent while it polls, and whose reports are counted once each.

import { spawnSync } from "node:child_process";
import { globSync, statSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RunningServer, run, startServer, temporaryFolder } from "../support/processes.ts";
import { WAIT } from "../support/wait.ts";

const python = spawnSync("python3", ["--version"], { encoding: "utf8" });
if (python.status !== 0) console.log("examples: python3 is not there, so its programs are not run");

const folder = temporaryFolder();
let server: RunningServer;
beforeAll(async () => {
  server = await startServer(`${folder.path}/data`);
});
afterAll(async () => {
  await server?.stop();
  folder.remove();
});

const PROGRAMS: Record<string, string> = { sh: "sh", ts: process.execPath, py: "python3" };

const start = (name: string, args: string[], settings: Record<string, string> = {}) =>
  run(PROGRAMS[name.split(".")[1]!]!, [`examples/${name}`, ...args], { BELFRY_URL: server.url, ...settings });

async function api(path: string): Promise<any> {
  const headers = { authorization: `Bearer ${server.key}` };
  return (await fetch(`${server.url}/api/v1${path}`, { headers })).json();
}

async function published(program: string, handle: string, title: string): Promise<string> {
  const { code, stdout, stderr } = await start(program, [handle, title], { BELFRY_API_KEY: server.key });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const [, drafted, sent] = /drafted (alr_\w+)\nsent (alr_\w+)\n$/.exec(stdout)!;
  expect(sent).toBe(drafted);
  return sent!;
}

const PAIRS = [
  ["publish.sh", "handset.py"],
  ["publish.ts", "handset.sh"],
  ["publish.py", "handset.ts"],
] as const;

test("every program is tried", () => {
  expect(
    globSync("examples/*.{sh,ts,py}")
      .map((file) => file.slice("examples/".length))
      .sort(),
  ).toEqual(PAIRS.flat().sort());
});

test.each(PAIRS)("%s for %s", async (publish, handset) => {
  if (python.status !== 0 && /\.py /.test(`${publish} ${handset} `)) return;
  const handle = `example-${publish.slice(-2)}`;
  const titles = ["The quay floods at six", 'Pier 2 is "closed" \\ ü'];
  const first = await published(publish, handle, titles[0]!);
  const [channel] = (await api(`/pushers?handle=${handle}`)).data;
  const stats = (alert: string) => api(`/pushers/${channel.id}/alerts/${alert}/stats`);

  const before = server.log().length;
  const kept = `${folder.path}/${handset}.token`;
  const settings = { WAIT_SECONDS: "1", POLL_SECONDS: "0.2", BELFRY_DEVICE_FILE: kept };
  const following = start(handset, [handle, "2"], settings);
  await expect.poll(async () => (await stats(first)).totals, WAIT).toEqual({ reads: 1, acks: 1 });
  // Nothing changed, and it is told so.
  const inbox = /"path":"\/handset\/v1\/inbox","status":304/;
  await expect.poll(() => server.log().slice(before), WAIT).toMatch(inbox);
  const second = await published(publish, handle, titles[1]!);
  const { code, stdout, stderr } = await following;
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(
    new RegExp(`^joined ${handle}\ngot ${first}: ${titles[0]}\n(unchanged\n)+got ${second}: Pier 2`),
  );
  expect((await stats(second)).totals).toEqual({ reads: 1, acks: 1 });
  if (handset !== "handset.ts") {
    expect(statSync(kept).mode & 0o777).toBe(0o600);
    // Begun again it is the same subscriber, which is shown what is there and counts nothing twice.
    const again = await start(handset, [handle, "2"], settings);
    expect(again.stdout).toMatch(new RegExp(`^joined ${handle}\ngot ${first}: .*\ngot ${second}: `));
    expect(await stats(second)).toMatchObject({ reach: 1, totals: { reads: 1, acks: 1 } });
  }
  expect((await api("/pushers")).data.filter((one: any) => one.handle === handle)).toHaveLength(1);
});

test("what the service refuses is said in its own words", async () => {
  const mine = (program: string) => program.endsWith(".py") === false || python.status === 0;
  for (const program of ["publish.sh", "publish.ts", "publish.py"].filter(mine)) {
    const { code, stderr } = await start(program, ["example-no", "x"], { BELFRY_API_KEY: "bfk_no" });
    expect(code).not.toBe(0);
    expect(stderr).toContain("unauthorized");
  }
  for (const program of ["handset.sh", "handset.ts", "handset.py"].filter(mine)) {
    const kept = `${folder.path}/${program}.refused`;
    const { code, stderr } = await start(program, ["nobody-has-this"], { BELFRY_DEVICE_FILE: kept });
    expect(code).not.toBe(0);
    expect(stderr).toContain("No such channel");
  }
});
