// Draws a table of goals. One scale shows how many times better than its goal each value is, with the spread of its
// rounds. The picture needs no other file, and follows the reader's colour scheme.

import { readFile, writeFile } from "node:fs/promises";
import { type Html, html } from "../src/ui/html.ts";
import { formatDigits, goalText, meetsGoal } from "./figure_format.ts";
import { type GoalReport, type GoalRow, getMedianFigure } from "./goal_rows.ts";

const WIDTH = 940;
const LABELS = 370;
const PLOT = 290;
const EDGE = 20;
const HEAD = 74;
const ROW = 23;
const GROUP = 30;
const FOOT = 54;

/** Ends and ticks of the scale; values beyond it are drawn at its end. */
const FURTHEST = 8;
const TICKS = [1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8];

const STYLE = `
svg { color-scheme: light dark;
  --surface: #ffffff; --line: #dcdcd6; --ink: #1b1c22; --muted: #585b66;
  --good: #1c673a; --bad: #a9251d; --mark: #3d4fc7; }
@media (prefers-color-scheme: dark) { svg {
  --surface: #1a1d24; --line: #30343f; --ink: #e9eaef; --muted: #a5aab8;
  --good: #84d5a3; --bad: #ff9f97; --mark: #a3aeff; } }
text { font: 12.5px system-ui, -apple-system, Segoe UI, Roboto, sans-serif; fill: var(--ink);
  font-variant-numeric: tabular-nums; }
.title { font-size: 17px; font-weight: 650; }
.group { font-weight: 650; }
.muted { fill: var(--muted); }
.tick { font-size: 11.5px; fill: var(--muted); }
.ground { fill: var(--surface); stroke: var(--line); }
.grid { stroke: var(--line); }
.goal { stroke: var(--mark); stroke-width: 1.5; }
.spread { stroke-width: 4; stroke-linecap: round; opacity: 0.4; }
.met { stroke: var(--good); fill: var(--good); }
.missed { stroke: var(--bad); fill: var(--bad); }
.none { stroke: var(--muted); fill: var(--surface); stroke-width: 1.5; }
.says-missed { fill: var(--bad); }
`;

const round = (value: number) => Math.round(value * 10) / 10;

/** From how many times as good as the goal to the place on the paper. */
function place(times: number): number {
  const bound = Math.min(FURTHEST, Math.max(1 / FURTHEST, times));
  const share = (Math.log(bound) / Math.log(FURTHEST) + 1) / 2;
  return round(EDGE + LABELS + share * PLOT);
}

/** Above 1: better than the goal, or than the other side without a goal. */
const timesAsGood = (value: number, { goal }: GoalRow) =>
  goal !== null && "most" in goal ? goal.most / value : value / (goal?.least ?? 1);

/** A line is drawn when it has a goal, or is a ratio to another program. */
const isDrawn = (row: GoalRow) => row.values.length > 0 && (row.goal !== null || row.unit === "");

const text = (x: number, y: number, name: string, said: string, anchor = "start") =>
  html`<text class="${name}" x="${x}" y="${y}" text-anchor="${anchor}">${said}</text>
`;
const line = (name: string, x1: number, y1: number, x2: number, y2: number) =>
  html`<line class="${name}" x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}"/>
`;

function drawRow(row: GoalRow, y: number): Html[] {
  const figure = getMedianFigure(row)!;
  const met = meetsGoal(figure, row.goal);
  const kind = row.goal === null ? "none" : met ? "met" : "missed";
  const said = `${met ? "" : "✗ "}${formatDigits(figure)}${row.unit}`;
  const parts = [
    text(EDGE, y, "", row.work),
    text(EDGE + LABELS + PLOT + 110, y, met ? "" : "says-missed", said, "end"),
    text(WIDTH - EDGE, y, "muted", row.goal === null ? "no goal" : goalText(row.goal, row.unit), "end"),
  ];
  // A goal of none at all has no place on a scale of ratios.
  if (row.goal !== null && "most" in row.goal && row.goal.most === 0) return parts;
  const [least, greatest] = [Math.min(...row.values), Math.max(...row.values)].map((value) =>
    place(timesAsGood(value, row)),
  );
  const at = place(timesAsGood(figure, row));
  return [
    ...parts,
    line(`spread ${kind}`, least!, y - 4, greatest!, y - 4),
    html`<circle class="${kind}" cx="${at}" cy="${y - 4}" r="4.5"/>
`,
  ];
}

export function renderGoalChart({ rows, machine, settings, at }: GoalReport): string {
  const parts: Html[] = [];
  let y = HEAD;
  let group = "";
  for (const row of rows.filter(isDrawn)) {
    if (row.group !== group) {
      y += group === "" ? 8 : GROUP;
      parts.push(text(EDGE, y, "group", row.group));
    }
    group = row.group;
    y += ROW;
    parts.push(...drawRow(row, y));
  }
  const bottom = y + 12;
  const height = bottom + FOOT;
  const ticks = TICKS.map((tick) => [
    line(tick === 1 ? "goal" : "grid", place(tick), HEAD - 8, place(tick), bottom),
    text(place(tick), HEAD - 14, "tick", tick === 1 ? "goal" : tick < 1 ? `1/${1 / tick}` : `${tick} ×`, "middle"),
  ]);
  const foot = [
    `npm run bench -- --goals on ${at.slice(0, 10)}: medians of ${settings.rounds} rounds of ` +
      `${settings.seconds} s, bars from least to greatest; hollow: no goal, beside 1.`,
    `${machine.cores} × ${machine.processor}, node ${machine.node}, load ${machine.load.toFixed(1)} at the beginning.`,
  ].map((said, i) => text(EDGE, height - 30 + 16 * i, "tick", said));
  const title = "Distance from the goals";
  return html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}"
    height="${height}" role="img" aria-label="${title}">
<title>${title}</title>
<style>${STYLE}</style>
<rect class="ground" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="10"/>
${text(EDGE, 30, "title", title)}${text(
  WIDTH - EDGE,
  30,
  "muted",
  "right of the line is better",
  "end",
)}${ticks}${parts}${foot}</svg>
`.toString();
}

/** Draws what `--goals --json` wrote. */
export async function writeGoalChart(from: string, to: string): Promise<void> {
  const report: GoalReport = JSON.parse(await readFile(from, "utf8"));
  if (!Array.isArray(report.rows)) throw new Error(`${from} is not a report of --goals --json.`);
  await writeFile(to, renderGoalChart(report));
}
