// The circle of a channel or of an alert, in the form of either: three numbers, filled in by the device where its person asks for
// that, and the circle to scale as soon as they make one.

import type { ApiError } from "../../model/errors.ts";
import { PUSHER } from "../../model/fields/pusher.ts";
import { LIMITS } from "../../model/limits.ts";
import { type Circle, circleDrawing } from "../../ui/circle.ts";
import { type Content, type Html, html } from "../../ui/html.ts";
import { icon } from "../../ui/icons.ts";
import { control, numberOr } from "./field_controls.ts";

/** What the boot room says of every page, but for the position, which this page may ask the device for. */
const PERMISSIONS =
  "accelerometer=(), camera=(), display-capture=(), geolocation=(self), gyroscope=(), microphone=(), payment=(), usb=()";

/** A page with the fields: its script may ask where the device is. */
export function asksPlace(page: Response): Response {
  page.headers.set("permissions-policy", PERMISSIONS);
  return page;
}

const FIELDS = ["lat", "lon", "radius_km"] as const;

/**
 * @param values what the controls hold
 * @param none what is said where there is no circle
 */
export function circleFields(values: URLSearchParams, none: Content, error?: ApiError): Html {
  const typed = { form: values, error };
  return html`<div class="circle-fields">${FIELDS.map((name) => control(PUSHER, typed, name))}</div>
    <p class="line"><button type="button" class="plain" id="here" hidden>${icon("place", "s")}Use this device’s position</button><span class="hint" role="status" id="here-said"></span></p>
    ${circleShown(values, none)}`;
}

/** The circle to scale, once its three numbers make one. A script of the page puts a newer one in its place. */
export function circleShown(values: URLSearchParams, none: Content): Html {
  const circle = circleOf(values);
  return html`<div id="circle-shown">${circle ? circleDrawing(circle) : html`<p class="hint">${none}</p>`}</div>`;
}

function circleOf(values: URLSearchParams): Circle | null {
  const [lat, lon, radius_km] = FIELDS.map((name) => numberOr(values.get(name) ?? ""));
  const whole =
    typeof lat === "number" &&
    typeof lon === "number" &&
    typeof radius_km === "number" &&
    Math.abs(lat) <= 90 &&
    Math.abs(lon) <= 180 &&
    radius_km > 0.0005 &&
    radius_km <= LIMITS.radius;
  return whole ? { lat, lon, radius_km } : null;
}
