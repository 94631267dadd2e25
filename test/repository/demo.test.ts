// The demo, as a person runs it: on its own, against a running server, and where it cannot go well.

import { mkdtempSync, readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { runProgram } from "../support/processes.ts";
import { isMissing } from "../support/requirements.ts";
import { openStartedService } from "../support/started_service.ts";

const { folder, server } = await openStartedService();

const demo = (settings: Record<string, string> = {}, args: string[] = []) =>
  runProgram(process.execPath, ["scripts/demo.ts", ...args], settings);

function expectWholeStory(stdout: string): void {
  for (const said of [
    "opens a channel",
    "a draft is nothing to see",
    "finds the channel in the directory",
    "polls and has it",
    "304",
    "acknowledged",
    "withdraws it",
    "Every step succeeded.",
  ])
    expect(stdout).toContain(said);
  expect(stdout).not.toContain("✗");
  // Not a terminal: no colours.
  expect(stdout).not.toContain("\u001b");
  const [, headings, row] = /The owner's counts\n(.*)\n(.*)\n/.exec(stdout)!;
  expect(headings!.trim().split(/\s+/)).toEqual(["subscribers", "alerts_sent", "reads", "acks"]);
  expect(row!.trim().split(/\s+/)).toEqual(["1", "1", "1", "1"]);
  const inbox = /The handset's inbox\n.*\n([\s\S]*?)\n\n/.exec(stdout)![1]!;
  expect(inbox.split("\n")).toHaveLength(1);
  expect(inbox).toContain("The 18:40 leaves from pier 3");
}

describe("npm run demo", () => {
  test("on a server of its own, of which nothing stays", async () => {
    // Its own, so that no other demo on this machine is seen.
    const TMPDIR = mkdtempSync(`${folder.path}/tmp-`);
    const { code, stdout, stderr } = await demo({ TMPDIR });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expectWholeStory(stdout);
    if (!isMissing("Chromium")) {
      const [, ms] = /✓ person {3}sees it, and it rings\n +(\d+) ms after/.exec(stdout)!;
      expect(Number(ms)).toBeGreaterThan(0);
      expect(stdout).toContain("✓ person   leaves the channel");
    }
    expect(readdirSync(TMPDIR).filter((name) => name.startsWith("belfry-demo-"))).toEqual([]);
  });

  test("against a running server, by settings", async () => {
    const bySettings = await demo({ BELFRY_URL: server.url, BELFRY_API_KEY: server.key, CHROMIUM: "/nowhere" });
    expect({ code: bySettings.code, stderr: bySettings.stderr }).toEqual({ code: 0, stderr: "" });
    expectWholeStory(bySettings.stdout);
    expect(bySettings.stdout).toContain(server.url);
    expect(bySettings.stdout).toContain("so it is not played");
    const { data }: any = await (
      await fetch(`${server.url}/api/v1/pushers`, { headers: { authorization: `Bearer ${server.key}` } })
    ).json();
    expect(data.map(({ handle }: { handle: string }) => handle)).toEqual(["hello-belfry"]);
  });

  test("fails with a message; flags go before settings", async () => {
    const settings = { BELFRY_URL: "http://127.0.0.1:1", BELFRY_API_KEY: server.key };
    const wrongKey = await demo(settings, ["--url", server.url, "--key", "bfk_wrong"]);
    expect(wrongKey.code).toBe(1);
    expect(wrongKey.stdout).toContain("✗");
    expect(wrongKey.stderr).toContain("401");
    const nobody = await demo({}, ["--url", "http://127.0.0.1:1", "--key", "bfk_x"]);
    expect({ code: nobody.code, stderr: nobody.stderr }).toEqual({
      code: 1,
      stderr: "demo: http://127.0.0.1:1 cannot be reached\n",
    });
    expect((await demo({}, ["--url", server.url])).code).toBe(2);
    expect((await demo({}, ["--nonsense"])).code).toBe(2);
  });
});
