#!/usr/bin/env node
// `npm run simulate`: updates the tables of docs/explanation/scale.md and prints them. With other assumptions it only
// prints: `npm run simulate -- --poll 300 --held 20000 1000000`.

import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { findStaleFiles, generateFiles } from "./gen.ts";
import { markdownTable } from "./markdown_table.ts";
import {
  ALERT_HEAD,
  alertRow,
  DEFAULT_ASSUMPTIONS,
  HANDSET_COUNTS,
  IDLE_HEAD,
  idleRow,
  type ScaleAssumptions,
} from "./scale_model.ts";

const PAGE = "docs/explanation/scale.md";
const NAMES = Object.keys(DEFAULT_ASSUMPTIONS) as (keyof ScaleAssumptions)[];

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
const assumed: ScaleAssumptions = { ...DEFAULT_ASSUMPTIONS };
for (const name of NAMES) if (values[name] !== undefined) assumed[name] = number(values[name] as string, `--${name}`);
const sizes = positionals.length > 0 ? positionals.map((text) => number(text, "HANDSETS")) : [...HANDSET_COUNTS];
console.log(
  markdownTable(
    IDLE_HEAD,
    sizes.map((size) => idleRow(size, assumed)),
  ),
);
console.log(
  `\n${markdownTable(
    ALERT_HEAD,
    sizes.map((size) => alertRow(size, assumed)),
  )}`,
);
if (positionals.length === 0 && Object.keys(values).length === 0) {
  const text = generateFiles().get(PAGE);
  if (text && findStaleFiles(new Map([[PAGE, text]])).length > 0) {
    writeFileSync(new URL(`../${PAGE}`, import.meta.url), text);
    console.log(`\nwrote ${PAGE}`);
  }
}
