// The packages that lay plots out, read with the first plot that somebody opens: most starts never draw one.

type Libraries = Pick<typeof import("d3-scale"), "scaleLinear"> &
  Pick<typeof import("d3-shape"), "area" | "curveStepAfter">;

let libraries: Promise<Libraries> | undefined;

async function read(): Promise<Libraries> {
  const [{ scaleLinear }, { area, curveStepAfter }] = await Promise.all([
    import("d3-scale"),
    import("d3-shape"),
  ]);
  return { scaleLinear, area, curveStepAfter };
}

export function plotLibraries(): Promise<Libraries> {
  libraries ??= read();
  return libraries;
}
