// The request of an event of the router. Its own type differs from the web's by what the router adds (`ip`, `runtime`, a
// wider `url`), so one cannot be assigned to the other, though every one of them is a web request.

import type { H3Event } from "h3";

export const requestOf = ({ req }: Pick<H3Event, "req">): Request => req as unknown as Request;
