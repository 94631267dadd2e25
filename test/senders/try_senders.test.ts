// `npm run try:senders`, as a person runs it, with one sender: what it starts, its table and its end. All of
// them take over a minute.

import { mkdtempSync, readdirSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { runProgram, temporaryFolder } from "../support/processes.ts";
import { isMissing } from "../support/requirements.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

test.skipIf([isMissing("Chromium"), isMissing("curl")].includes(true))(
  "one sender's alert arrives twice, leaves a draft under a key that composes, and an assistant receives a tap",
  async () => {
    const TMPDIR = mkdtempSync(`${folder.path}/tmp-`);
    const settings = { TMPDIR, CHROMIUM: process.env.CHROMIUM ?? "" };
    const { code, stdout, stderr } = await runProgram(
      process.execPath,
      ["scripts/senders/main.ts", "plain text"],
      settings,
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(
      /^curl, plain text +the program +[\d.]+ s +[\d.]+ s +draft +exit 0: The alert was not published/m,
    );
    expect(stdout).toMatch(/tapped "Yes" in the app; the assistant's waiting call got it [\d.]+ s later/);
    expect(readdirSync(TMPDIR).filter((name) => name.startsWith("belfry-senders-"))).toEqual([]);
  },
);
