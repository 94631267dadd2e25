// A channel's circle, drawn to scale on a grid of whole kilometres. It uses no map, so no third party learns who views
// which place.

import { formatDistanceKm } from "./alert_card.ts";
import { type Html, html } from "./html.ts";

export interface GeoCircle {
  lat: number;
  lon: number;
  radius_km: number;
}

/** The circle of a channel or of an alert; null where it has none. */
export const toGeoCircleOrNull = ({
  lat,
  lon,
  radius_km,
}: { [Part in keyof GeoCircle]: number | null }): GeoCircle | null =>
  lat === null || lon === null || radius_km === null ? null : { lat, lon, radius_km };

const WIDTH = 280;
const HEIGHT = 168;
/** The radius of the circle on the drawing. */
const RADIUS = 58;

/** 1, 2 or 5 times a power of ten: the side of a square that fits into half of the radius. */
function computeGridStep(radiusKm: number): number {
  const wanted = radiusKm / 2;
  const power = 10 ** Math.floor(Math.log10(wanted));
  const step = [5, 2, 1].find((times) => times * power <= wanted) ?? 1;
  return step * power;
}

const degrees = (value: number, [positive, negative]: readonly [string, string]) =>
  `${Math.abs(value).toFixed(4)}° ${value < 0 ? negative : positive}`;

/** 38.7071° N, 9.1355° W */
export const formatCoordinates = ({ lat, lon }: Pick<GeoCircle, "lat" | "lon">): string =>
  `${degrees(lat, ["N", "S"])}, ${degrees(lon, ["E", "W"])}`;

export function circleDrawing(circle: GeoCircle): Html {
  const { radius_km } = circle;
  const step = computeGridStep(radius_km);
  const side = (step / radius_km) * RADIUS;
  const [x, y] = [WIDTH / 2, HEIGHT / 2];
  const lines: string[] = [];
  for (let n = -Math.floor(x / side); n * side <= x; n++) lines.push(`M${round(x + n * side)} 0V${HEIGHT}`);
  for (let n = -Math.floor(y / side); n * side <= y; n++) lines.push(`M0 ${round(y + n * side)}H${WIDTH}`);
  return html`<svg class="circle" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${describe(
    circle,
    step,
  )}"><path class="grid" d="${lines.join("")}"/><circle class="area" cx="${x}" cy="${y}" r="${RADIUS}"/><path
      class="spoke" d="M${x} ${y}H${x + RADIUS}"/><circle class="centre" cx="${x}" cy="${y}" r="3.5"/><text
        x="${x + RADIUS / 2}" y="${y - 7}" text-anchor="middle">${formatDistanceKm(radius_km)}</text><path class="scale"
          d="M10 ${HEIGHT - 14}v4h${round(side)}v-4"/><text x="${round(16 + side)}"
            y="${HEIGHT - 9}">${formatDistanceKm(step)}</text><path class="north"
              d="M${WIDTH - 16} 30V12m-4 5 4-5 4 5"/><text x="${WIDTH - 16}" y="43"
                text-anchor="middle">N</text></svg>`;
}

const describe = (circle: GeoCircle, step: number): string =>
  `A circle with a radius of ${formatDistanceKm(circle.radius_km)} around ${formatCoordinates(circle)}; ` +
  `each grid square is ${formatDistanceKm(step)} wide.`;

const round = (value: number) => Math.round(value * 10) / 10;
