// Environment variables that look like settings: misspelt ones stop a start, and those of other programs do not.

import { afterAll, describe, expect, test } from "vitest";
import { SETTINGS } from "../../src/store/config/all_settings.ts";
import { loadConfig } from "../../src/store/config/load_settings.ts";
import { RENAMED_SETTINGS } from "../../src/store/config/renamed_settings.ts";
import { SECRET_FILE_PATH_VARIABLES } from "../../src/store/config/secret_files.ts";
import {
  findUnknownSettings,
  rejectMisspelledSettings,
  suggestSetting,
} from "../../src/store/config/unknown_settings.ts";
import { runProgram, temporaryFolder } from "../support/processes.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

const set = (...names: string[]) => Object.fromEntries(names.map((name) => [name, "x"]));

test("variables that begin as settings do are unknown, and those of other programs are not", () => {
  const all = set(
    ...["PUBLIC_URI", "public_url", "BELFRY_TOKEN", "BACKUP_S3_KEY"],
    ...["NODE_OPTIONS", "LOG_DIR", "HOME", "BELFRY_URL"],
  );
  expect(findUnknownSettings(all)).toEqual(["BACKUP_S3_KEY", "BELFRY_TOKEN", "PUBLIC_URI", "public_url"]);
});

// rules#misspelt-settings
describe("a misspelt setting", () => {
  test.each([
    ["BELFRY_PORT", "PORT"],
    ["BELFRY_SECRET", "SECRET"],
    ["PUBLIC_URl", "PUBLIC_URL"],
    ["PUBLIC_URI", "PUBLIC_URL"],
    ["NTFY_HOSTS", "NTFY_HOST"],
    ["DATABSE_URL", "DATABASE_URL"],
    ["TRUSTED_PROXY", "TRUSTED_PROXIES"],
    ["Data_Dir", "DATA_DIR"],
    ["WEBHOOK_ALLOWED_HOST", "WEBHOOK_ALLOW_HOSTS"],
    ["REDIS_ULR", "REDIS_URL"],
    ["DATABASE_URI", "DATABASE_URL"],
    ["LOGLEVEL", "LOG_LEVEL"],
    ["DATADIR", "DATA_DIR"],
    ["TRUST_PROXY", "TRUSTED_PROXIES"],
    ["WORKER", "WORKERS"],
    ["DATABASE_HOST", null],
    ["DATABASE_PORT", null],
    ["DATABASE_USER", null],
    ["DATABASE_SSL", null],
    ["POSTGRES_URL", null],
    ["NTFY_URL", null],
    ["GOTIFY_URL", null],
    ["WEBHOOK_SIGNATURES", null],
    ["HOME", null],
    ["HOSTS", null],
    ["BELFRY_TOKEN", null],
  ])("%s was meant to be %s", (name, intended) => {
    expect(suggestSetting(name)).toBe(intended);
  });

  test("names all of them and the right ones, and never a value", () => {
    const refuse = () =>
      rejectMisspelledSettings({ BELFRY_PORT: "hunter2", PUBLIC_URl: "x", NTFY_HOSTS: "a", HOME: "/" });
    expect(refuse).toThrow(
      "BELFRY_PORT is not a setting. Did you mean PORT? NTFY_HOSTS is not a setting. Did you mean NTFY_HOST? " +
        "PUBLIC_URl is not a setting. Did you mean PUBLIC_URL? Rename or remove them.",
    );
  });

  test("the name of a setting before 0.3.0 gives the new one, which is a setting", () => {
    const names = Object.values(SETTINGS).map(({ name }) => name);
    for (const [old, renamed] of RENAMED_SETTINGS) {
      expect(names).toContain(renamed);
      expect(names).not.toContain(old);
      expect(() => rejectMisspelledSettings(set(old))).toThrow(`${old} is now called ${renamed}. Rename or remove it.`);
    }
    expect(RENAMED_SETTINGS.size).toBeGreaterThan(15);
  });

  // rules#secret-files
  test.each([
    ["PORT_FILE", "PORT_FILE is not a setting; docs/reference/settings.md lists"],
    ["DATABASE_PASSWORD_FILE", "DATABASE_PASSWORD_FILE is not a setting; "],
    ["DATABSE_URL_FILE", "Did you mean DATABASE_URL_FILE?"],
    ["BELFRY_SECRET_FILE", "Did you mean SECRET_FILE?"],
    ["smtp_url_file", "Did you mean SMTP_URL_FILE?"],
  ])("%s does not name a file that is read", (name, message) => {
    expect(() => rejectMisspelledSettings(set(name))).toThrow(message);
  });

  test("neither a setting, nor a variable that Kubernetes sets for a service named belfry", () => {
    rejectMisspelledSettings(set(...Object.values(SETTINGS).map(({ name }) => name)));
    rejectMisspelledSettings({
      BELFRY_PORT: "tcp://10.96.0.7:8787",
      BELFRY_PORT_8787_TCP_ADDR: "10.96.0.7",
      BELFRY_SERVICE_HOST: "10.96.0.7",
      DATABASE_SERVICE_PORT: "5432",
      ...set("PATH", "LANG", "NODE_OPTIONS", "BELFRY_URL", "BELFRY_API_KEY", "XDG_DATA_DIRS", "REDIS_VERSION"),
      ...set(...SECRET_FILE_PATH_VARIABLES, "SSL_CERT_FILE", "POSTGRES_PASSWORD_FILE", "AWS_WEB_IDENTITY_TOKEN_FILE"),
    });
  });

  test.each([
    [{ TRUSTED_PROXIES: "10.0.0.1, 10.0.0.0/99" }, / The wrong value is 10\.0\.0\.0\/99\.$/],
    [{ PUBLIC_URL: "alerts.example.org" }, / The wrong value is alerts\.example\.org\.$/],
    [{ PUBLIC_URL: "https://ada:hunter2@alerts.example.org" }, /^(?!.*hunter2)PUBLIC_URL must be .* fragment\.$/],
  ])("%j: the message has the wrong value if it contains no password", (settings, message) => {
    expect(() => loadConfig(settings, {})).toThrow(message);
  });

  test("stops the start with one line", async () => {
    const settings = { DATA_DIR: folder.path, PORT: "0", BELFRY_PORT: "1" };
    expect(await runProgram(process.execPath, ["src/main.ts"], settings)).toMatchObject({
      code: 1,
      stdout: "",
      stderr: "belfry: BELFRY_PORT is not a setting. Did you mean PORT? Rename or remove it.\n",
    });
  });
});
