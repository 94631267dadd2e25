// The card in a chat (MCP Apps) as one HTML file: no network, one script by its hash, and the style sheets of the app.

import { createHash } from "node:crypto";
import { lazy } from "../../store/db/lazy.ts";
import { ALERT_CARD_STYLES, loadStaticFile, STYLES } from "../../ui/static_files.ts";
import { loadBrowserScripts } from "./browser_scripts.ts";

const { text: CARD_STYLES } = loadStaticFile("card.css", "text/css; charset=utf-8", import.meta.url, [
  "mcp_card/card.css",
]);

const styles = (): string => `${STYLES.text}${ALERT_CARD_STYLES.text}${CARD_STYLES}`.replaceAll("\n", "");

/** Hosts may add their own script before it, so it forbids others only in texts of a result. */
export const buildMcpResultCardPage = lazy(async (): Promise<string> => {
  const script = (await loadBrowserScripts())["card.js"].replaceAll("</script", "<\\/script").trim();
  const hash = createHash("sha256").update(script).digest("base64");
  const policy = [
    "default-src 'none'",
    `script-src 'sha256-${hash}'`,
    "style-src 'unsafe-inline'",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return `<!doctype html>
<html lang="en" data-color-scheme="light">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>Belfry</title>
<style>${styles()}</style>
</head>
<body>
<main id="card"><p class="hint">Waiting for the result.</p></main>
<script>${script}</script>
</body>
</html>
`;
});
