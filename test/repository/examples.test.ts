// The programs of examples/, run by the commands of their README. Each publishes for a handset in another language. The
// handset sees alerts from before it joined and from while it polls. Its reports are counted once each.

import { globSync, statSync } from "node:fs";
import { expect, test } from "vitest";
import { runProgram } from "../support/processes.ts";
import { isMissing } from "../support/requirements.ts";
import { openStartedService } from "../support/started_service.ts";
import { WAIT } from "../support/wait.ts";

const { folder, server } = await openStartedService();

const PROGRAMS: Record<string, string> = { sh: "sh", ts: process.execPath, py: "python3" };

/** Reports if a program's language, or a program that it calls, is missing here. */
const cannotRun = (name: string) =>
  (name.endsWith(".py") && isMissing("python3")) || (name.endsWith(".sh") && isMissing("curl"));

const start = (name: string, args: string[], settings: Record<string, string> = {}) =>
  runProgram(PROGRAMS[name.split(".")[1]!]!, [`examples/${name}`, ...args], { BELFRY_URL: server.url, ...settings });

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

test.for(PAIRS)("%s for %s", async ([publish, handset], { skip }) => {
  skip(cannotRun(publish) || cannotRun(handset));
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
  // Nothing changed, and the response shows it.
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

test.for(PAIRS.flat())("what the service refuses %s says in its words", async (program, { skip }) => {
  skip(cannotRun(program));
  const [arguments_, settings, words] = program.startsWith("publish")
    ? [["example-no", "x"], { BELFRY_API_KEY: "bfk_no" }, "unauthorized"]
    : [["nobody-has-this"], { BELFRY_DEVICE_FILE: `${folder.path}/${program}.refused` }, "Channel not found"];
  const { code, stderr } = await start(program, arguments_, settings);
  expect(code).not.toBe(0);
  expect(stderr).toContain(words);
});
