// The page in which an alert's markup is shown: of no origin, without network but for pictures, and with one script that stands in
// its policy by its hash. It is sent the markup as a message, so that no address carries anything of an alert.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

const SCRIPT = readFileSync(new URL("./frame.js", import.meta.url), "utf8");

export const FRAME_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light">
<title>Alert</title>
</head>
<body>
<script>${SCRIPT}</script>
</body>
</html>
`;

const mark = `'sha256-${createHash("sha256").update(SCRIPT).digest("base64")}'`;

/** @param pictures where they may come from. */
const policyWith = (pictures: string) =>
  [
    "default-src 'none'",
    "sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox",
    `script-src ${mark}`,
    "style-src 'unsafe-inline'",
    `img-src ${pictures}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join("; ");

/** Name of the page → its policy. Pictures come from this service and the markup itself, or from anywhere once the person asked. */
export const FRAME_POLICIES = {
  "frame.html": policyWith("'self' data:"),
  "frame_pictures.html": policyWith("https: data:"),
};
