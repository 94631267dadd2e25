#!/usr/bin/env node
// `npm run simulate`: writes the tables of docs/explanation/scale.md anew and prints them. With other assumptions it only prints:
// `npm run simulate -- --poll 300 --held 20000 1000000`.

import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { generated, stale } from "./gen.ts";
import { table } from "./markdown_table.ts";
import { ALERT_HEAD, ASSUMED, type Assumed, alertRow, IDLE_HEAD, idleRow, SIZES } from "./scale.ts";

const PAGE = "docs/explanation/scale.md";
const NAMES = Object.keys(ASSUMED) as (keyof Assumed)[];

function stop(message: string): never {
  console.error(
    `${message} Usage: npm run simulate -- [${NAMES.map((name) => `--${name} N`).join("] [")}] [HANDSETS …]`,
  );
  process.exit(2);
}

function read() {
  try {
    const options = Object.fromEntries(NAMES.map((name) => [name, { type: "string" as const }]));
    return parseArgs({ allowPositionals: true, options });
  } catch (error) {
    return stop((error as Error).message);
  }
}

const number = (text: string | undefined, name: string): number => {
  const n = Number(text);
  return Number.isFinite(n) && n > 0 && n <= 1e10
    ? n
    : stop(`${name} must be a number above 0, of at most 10,000,000,000.`);
};

const { values, positionals } = read();
const assumed: Assumed = { ...ASSUMED };
for (const name of NAMES) if (values[name] !== undefined) assumed[name] = number(values[name] as string, `--${name}`);
const sizes = positionals.length > 0 ? positionals.map((text) => number(text, "HANDSETS")) : [...SIZES];
console.log(
  table(
    IDLE_HEAD,
    sizes.map((size) => idleRow(size, assumed)),
  ),
);
console.log(
  `\n${table(
    ALERT_HEAD,
    sizes.map((size) => alertRow(size, assumed)),
  )}`,
);
if (positionals.length === 0 && Object.keys(values).length === 0) {
  const text = generated().get(PAGE);
  if (text && stale(new Map([[PAGE, text]])).length > 0) {
    writeFileSync(new URL(`../${PAGE}`, import.meta.url), text);
    console.log(`\nwrote ${PAGE}`);
  }
}
