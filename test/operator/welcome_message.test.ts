// The commands that a first start prints, for readers in a shell, outside of a container and outside of a pod.

import { afterAll, expect, test } from "vitest";
import { detectShellCommandPrefix } from "../../src/program/boot/shell_command_prefix.ts";
import { formatWelcome } from "../../src/program/boot/welcome_message.ts";
import {
  readCredentials,
  updateServerUrlInCredentials,
  writeFirstCredentials,
} from "../../src/store/secret/first_credentials_file.ts";
import { temporaryFolder } from "../support/processes.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

const PACKED = { path: "/usr/local/bin:/usr/bin", inPod: false, fromSource: false, isMain: true, exists: () => false };
const MADE = {
  ...{ url: "https://alerts.example.org", workspace_id: "wsp_1", member_id: "mem_1", key: "bfk_hidden" },
  console: "https://alerts.example.org/console/welcome#hidden",
};
const example = { id: "psh_1", page: "https://alerts.example.org/c/hello-belfry" };
const file = (path: string) => (asked: string) => asked === path;

// rules#first-start
test.each([
  ["the source tree", { ...PACKED, fromSource: true, exists: () => true }, "", "npm run -s belfry --"],
  ["an installed package", { ...PACKED, program: "/usr/local/bin/belfry" }, "", "belfry"],
  ["a package outside of the PATH", { ...PACKED, program: "/opt/belfry/bin/belfry" }, "", "/opt/belfry/bin/belfry"],
  [
    "Docker",
    { ...PACKED, name: "3f2a9c01d4e5", exists: file("/.dockerenv"), program: "/usr/local/bin/belfry" },
    "docker exec 3f2a9c01d4e5 ",
    "belfry",
  ],
  [
    "Podman with a host name",
    { ...PACKED, name: "alerts", exists: file("/run/.containerenv") },
    "podman exec CONTAINER ",
    "belfry",
  ],
  ["a pod", { ...PACKED, inPod: true, name: "belfry-0", exists: () => true }, "kubectl exec belfry-0 -- ", "belfry"],
  ["a shell in a container", { ...PACKED, isMain: false, exists: () => true }, "", "belfry"],
])("in %s, commands are called from there", (_, facts, exec, belfry) => {
  const shell = detectShellCommandPrefix(facts);
  expect(shell).toEqual({ exec, belfry });
  const text = formatWelcome(MADE, { example, dataDir: "/data", inTerminal: false, shell });
  const where = exec ? "" : "DATA_DIR=/data ";
  expect(text).toContain(`\n  ${where}${exec}${belfry} create-alert --pusher-id psh_1`);
  expect(text).toContain(`KEY=$(${exec}sed -n 's/`);
  if (exec) expect(text).toContain(`in /data/credentials.json: ${exec}cat /data/credentials.json\n`);
  // A log has no secrets, and no command that is fetched from a registry.
  expect(text).not.toMatch(/hidden|npx/);
});

// rules#first-start
test("at a later start with another PUBLIC_URL, the owner's link has the new address and the same secret", () => {
  writeFirstCredentials(folder.path, {
    ...MADE,
    url: "http://localhost:8787",
    console: "http://localhost:8787/console/w#s",
  });
  for (const publicUrl of ["https://alerts.example.org", "http://192.0.2.7:8787"]) {
    updateServerUrlInCredentials({ dataDir: folder.path, publicUrl });
    const current = { ...MADE, url: publicUrl, console: `${publicUrl}/console/w#s` };
    expect(readCredentials(folder.path)).toEqual(current);
    // An earlier version changed only the address.
    writeFirstCredentials(folder.path, { ...current, console: "http://localhost:8787/console/w#s" });
    updateServerUrlInCredentials({ dataDir: folder.path, publicUrl });
    expect(readCredentials(folder.path)).toEqual(current);
  }
});
