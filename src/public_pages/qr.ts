// An address as a QR code: black on white with four modules of margin in the dark as well, since readers expect that.

import encodeQR from "qr";
import { type Html, html } from "../look/html.ts";

const MARGIN = 4;

/** One path, a run of black modules a stroke; the modules are one unit wide. */
export function qrDrawing(text: string, label: string): Html {
  const rows = encodeQR(text, "raw", { ecc: "medium", border: MARGIN });
  const runs = rows.flatMap((row, y) =>
    [
      ...row
        .map((black) => (black ? "1" : "0"))
        .join("")
        .matchAll(/1+/g),
    ].map(({ index, 0: run }) => `M${index} ${y}h${run.length}v1h-${run.length}z`),
  );
  return html`<svg class="qr" viewBox="0 0 ${rows.length} ${rows.length}" role="img" aria-label="${label}" shape-rendering="crispEdges"><rect width="${rows.length}" height="${rows.length}" fill="#fff"/><path fill="#000" d="${runs.join("")}"/></svg>`;
}
