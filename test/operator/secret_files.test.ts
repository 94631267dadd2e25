// Secrets from files (NAME_FILE), and quotes that an env file keeps around a value.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { SETTINGS } from "../../src/store/config/all_settings.ts";
import {
  loadClientSettings,
  loadConfig,
  loadSettingsWithProblems,
  readReplacementSecret,
} from "../../src/store/config/load_settings.ts";
import { SECRET_FILE_PATH_VARIABLES } from "../../src/store/config/secret_files.ts";
import { temporaryFolder } from "../support/processes.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

const LONG = "a secret that is long enough for a test";
let files = 0;
function file(text: string): string {
  const path = join(folder.path, `secret-${++files}`);
  writeFileSync(path, text);
  return path;
}
const load = (environment: Record<string, string>) => loadConfig({}, environment);

// rules#secret-files
test("every setting whose name is that of a secret can be read from a file", () => {
  const PUBLIC = ["PUBLIC_URL", "CHANNEL_BASE_URL"];
  const secrets = Object.values(SETTINGS)
    .map(({ name }) => name)
    .filter((name) => /(SECRET|PASSWORD|TOKEN|KEY|KEY_ID|HEADERS|URLS?)$/.test(name) && !PUBLIC.includes(name));
  expect(secrets.length).toBeGreaterThan(10);
  expect(SECRET_FILE_PATH_VARIABLES.toSorted()).toEqual(
    [...secrets, "NEW_SECRET", "BELFRY_API_KEY"].map((name) => `${name}_FILE`).sort(),
  );
});

// rules#secret-files
test("a value comes from its file without the line end, for the service and for commands", () => {
  const DATABASE_URL_FILE = file("postgresql://belfry:p%20w@db/belfry\n");
  const SECRET_FILE = file(`  ${LONG} \r\n\n`);
  const config = load({ DATABASE_URL_FILE, SECRET_FILE, SMTP_URL_FILE: file("smtps://u:p@mail.example.org") });
  expect(config).toMatchObject({
    databaseUrl: "postgresql://belfry:p%20w@db/belfry",
    secret: `  ${LONG} `,
    smtpUrl: "smtps://u:p@mail.example.org",
  });
  expect(readReplacementSecret({ NEW_SECRET_FILE: file(LONG) })).toBe(LONG);
  expect(loadClientSettings({ DATABASE_URL_FILE, BELFRY_API_KEY_FILE: file("bfk_x\n") })).toMatchObject({
    ownDatabase: true,
    key: "bfk_x",
  });
  expect(load({ SECRET: LONG, SECRET_FILE: "" }).secret).toBe(LONG);
});

// rules#secret-files
test("a file that cannot be used is named, and its content is not", () => {
  mkdirSync(join(folder.path, "a-folder"));
  const SECRET_FILE = file(LONG);
  for (const [environment, message] of [
    [{ SECRET_FILE, SECRET: LONG }, "SECRET_FILE and SECRET are both set. Remove one of them."],
    [{ SECRET_FILE: join(folder.path, "none") }, "SECRET_FILE points to a file that cannot be read (ENOENT). Check"],
    [
      { REDIS_URL_FILE: join(folder.path, "a-folder") },
      "REDIS_URL_FILE points to a file that cannot be read (EISDIR).",
    ],
    [{ SECRET_FILE: file("\n") }, "SECRET_FILE points to an empty file. Write the value to that file."],
    [{ REDIS_URL_FILE: file("hunter2") }, "REDIS_URL must be a URL that begins with redis:// or rediss://."],
  ] as const) {
    expect(() => load(environment)).toThrow(message);
    const [wrong] = loadSettingsWithProblems(environment).wrong;
    expect(wrong).toContain(message);
    expect(wrong).not.toContain("hunter2");
  }
});

// rules#settings-are-checked
test("quotes around a value are named, except those of a secret that is in use", () => {
  const says = (name: string) =>
    `${name} has quotation marks around its value. Container env files do not strip them, so remove them`;
  for (const [name, value] of [
    ["PUBLIC_URL", '"https://alerts.example.org"'],
    ["PORT", "'8787'"],
    ["DATA_DIR", '"/var/lib/belfry"'],
    ["MAIL_FROM", "'belfry@example.org'"],
  ] as const)
    expect(() => load({ [name]: value })).toThrow(says(name));
  expect(() => load({ REDIS_URL_FILE: file('"redis://cache"\n') })).toThrow(says("REDIS_URL_FILE"));
  expect(load({ SECRET: `"${LONG}"`, MAIL_FROM: '"Belfry" <belfry@example.org>' })).toMatchObject({
    secret: `"${LONG}"`,
    mailFrom: '"Belfry" <belfry@example.org>',
  });
});
