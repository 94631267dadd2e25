// Pictures that are drawn here rather than uploaded: black and white modules as a PNG for whoever prints them.

import { decoder } from "./pictures.ts";

/** A square PNG of `modules`, true for black; each is a whole number of pixels wide, at least `side` pixels in all. */
export async function pngOf(modules: readonly boolean[][], side: number): Promise<Buffer> {
  const sharp = await decoder();
  const count = modules.length;
  const grey = Buffer.from(modules.flatMap((row) => row.map((black) => (black ? 0 : 255))));
  const wide = Math.ceil(side / count) * count;
  return sharp(grey, { raw: { width: count, height: count, channels: 1 } })
    .resize(wide, wide, { kernel: "nearest" })
    .png({ palette: true, colours: 2 })
    .toBuffer();
}
