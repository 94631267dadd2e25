// `npm run audit`: lists the parts of an installation. Checks that the licence of each permits shipping it with ours,
// and that the registry reports no high or critical vulnerability. If the registry does not respond, that is reported,
// and is not a failure.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { createSbom, withProductionLock } from "./sbom.ts";

const ROOT = join(import.meta.dirname, "..");
const TAKEN = /^(MIT|MIT-0|Apache-2\.0|ISC|0BSD|BSD-[23]-Clause|Unlicense)$/;
/** The libraries behind sharp, which are linked dynamically and can be replaced, as the LGPL requires. */
const LINKED = /^@img\/sharp-/;

const sbom = createSbom(ROOT);
const counts = new Map<string, number>();
const wrong: string[] = [];
for (const { "bom-ref": ref, licenses = [] } of sbom.components) {
  const said = licenses.map((one) =>
    "expression" in one ? one.expression : (one.license.id ?? one.license.name ?? ""),
  );
  const isTaken = (id: string) => TAKEN.test(id) || (LINKED.test(ref) && id === "LGPL-3.0-or-later");
  const some = said.join(" AND ").replace(/[()]/g, "").split(" OR ");
  if (!some.some((all) => all.split(" AND ").every(isTaken)))
    wrong.push(`${ref} is under ${said.join(", ") || "no licence"}: see scripts/dependency_audit.ts.`);
  for (const each of said) counts.set(each, (counts.get(each) ?? 0) + 1);
}
const list = [...counts].sort(([, a], [, b]) => b - a).map(([licence, count]) => `${count} ${licence}`);
console.log(`${sbom.components.length} packages: ${list.join(", ")}`);

/**
 * The used parts of npm's report: packages by name, each with its own vulnerabilities and the names of dependencies
 * that cause others.
 */
interface Told {
  vulnerabilities?: Record<string, { via: (string | { title: string; url: string; severity: string })[] }>;
  message?: string;
  error?: { summary?: string };
}

const args = ["audit", "--json", "--package-lock-only", "--fetch-retries=0", "--fetch-timeout=20000"];
const asked = withProductionLock(ROOT, (cwd) =>
  spawnSync("npm", args, { cwd, encoding: "utf8", maxBuffer: 64 << 20, timeout: 60_000 }),
);
let told: Told = {};
try {
  told = JSON.parse(asked.stdout);
} catch {
  // npm reports it as text, or was cut off.
}
if (!told.vulnerabilities) {
  const why = told.message || told.error?.summary || asked.stderr?.trim().split("\n")[0] || "no answer";
  // Without the address, which only this machine knows.
  console.log(`The registry did not report known vulnerabilities: ${why.replace(/( - [A-Z]+)? ?https?:\S+/g, "")}`);
} else {
  // A name in `via` is another package of the list, which has the fault itself.
  const faults = Object.entries(told.vulnerabilities).flatMap(([name, { via }]) =>
    via.flatMap((one) => (typeof one === "string" ? [] : { name, ...one })),
  );
  console.log(`${faults.length} known faults in them.`);
  for (const { name, severity, title, url } of faults) {
    const line = `${name}, ${severity}: ${title} (${url})`;
    if (severity === "high" || severity === "critical") wrong.push(line);
    else console.log(line);
  }
}
for (const line of wrong) console.error(line);
if (wrong.length > 0) process.exitCode = 1;
