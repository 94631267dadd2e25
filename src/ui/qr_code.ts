// An address as a QR code: black on white with four modules of margin, also in dark mode, since readers expect that.

import encodeQR from "qr";
import { type Html, html } from "./html.ts";

const MARGIN = 4;

/** The modules of a code, true for black, with the margin that readers expect. */
export const computeQrModules = (text: string): boolean[][] => encodeQR(text, "raw", { ecc: "medium", border: MARGIN });

/** One path, a run of black modules a stroke; the modules are one unit wide. */
function shapes(rows: readonly boolean[][]): Html {
  const runs = rows.flatMap((row, y) =>
    [
      ...row
        .map((black) => (black ? "1" : "0"))
        .join("")
        .matchAll(/1+/g),
    ].map(({ index, 0: run }) => `M${index} ${y}h${run.length}v1h-${run.length}z`),
  );
  return html`<rect width="${rows.length}" height="${rows.length}" fill="#fff"/><path fill="#000"
    d="${runs.join("")}"/>`;
}

/** The code as a picture in a page. `label`: its name, or the attribute `aria-label` with a space before it. */
export function renderQrCode(text: string, label: string | Html): Html {
  const rows = computeQrModules(text);
  return html`<svg class="qr" viewBox="0 0 ${rows.length} ${rows.length}"
    role="img"${typeof label === "string" ? html` aria-label="${label}"` : label}
      shape-rendering="crispEdges">${shapes(rows)}</svg>`;
}

/** The same as a file of its own, `side` pixels wide without scaling. */
export function renderQrCodeSvgFile(text: string, side: number): Html {
  const rows = computeQrModules(text);
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}"
    viewBox="0 0 ${rows.length} ${rows.length}" shape-rendering="crispEdges">${shapes(rows)}</svg>\n`;
}
