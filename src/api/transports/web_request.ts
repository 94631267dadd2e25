// The request of an event of the router, or of the socket's server. Its type differs from the web's by additions
// (`ip`, `runtime`, a wider `url`). One cannot be assigned to the other, though every one of them is a web request.

import type { ServerRequest } from "srvx";

export const toWebRequest = ({ req }: { req: ServerRequest }): Request => req as unknown as Request;
