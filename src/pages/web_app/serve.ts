// Everything of the web app that is served, by its address: made once, from an allow list, never from a request's path.

import { readFileSync } from "node:fs";
import { prepare, type Static } from "../../api/transports/static.ts";
import { ALERT_CARD_STYLES, ICON, pageFile, STYLES } from "../../ui/files.ts";
import { asOneScript, hashOf, scriptsOf } from "./modules.ts";
import {
  APP_PERMISSIONS,
  APP_POLICY,
  FRAME_PAGE,
  FRAME_POLICIES,
  manifest,
  placeOf,
  shellPage,
} from "./shell.ts";

const ICONS = ["icon-192.png", "icon-512.png", "icon-maskable-512.png"];

const KEPT = {
  "cache-control": "public, max-age=31536000, immutable",
  "content-security-policy": "default-src 'none'",
};
const ASKED_AGAIN = { "cache-control": "no-cache" };
const SCRIPT = { "content-type": "text/javascript; charset=utf-8" };
const HTML = { "content-type": "text/html; charset=utf-8", "referrer-policy": "no-referrer" };
const PAGE = {
  ...{ ...HTML, ...ASKED_AGAIN, "permissions-policy": APP_PERMISSIONS },
  ...{ "content-security-policy": APP_POLICY, "x-frame-options": "DENY" },
};
const FRAME = { ...HTML, ...KEPT };

const file = (name: string) => readFileSync(new URL(name, import.meta.url));

const { text: APP_STYLES } = pageFile(
  "app.css",
  "text/css; charset=utf-8",
  import.meta.url,
  ["frame", "lists", "alert", "settings"].map((part) => `styles/${part}.css`),
);

export function webAppFiles(): Map<string, Static> {
  const scripts = scriptsOf(new URL("./browser/main.ts", import.meta.url));
  const sheet = STYLES.text + ALERT_CARD_STYLES.text + APP_STYLES;
  const hash = hashOf([...[...scripts].flat(), sheet, FRAME_PAGE, ...Object.values(FRAME_POLICIES)]);
  const place = (name: string) => placeOf(hash, name);
  const served = new Map<string, Static>();

  for (const [name, text] of scripts) served.set(place(name), prepare(text, { ...SCRIPT, ...KEPT }));
  served.set(place("app.css"), prepare(sheet, { "content-type": "text/css; charset=utf-8", ...KEPT }));
  for (const name of ICONS)
    served.set(place(name), prepare(file(`./icons/${name}`), { "content-type": "image/png", ...KEPT }));

  for (const [name, policy] of Object.entries(FRAME_POLICIES))
    served.set(place(name), prepare(FRAME_PAGE, { ...FRAME, "content-security-policy": policy }));

  const shell = shellPage(hash);
  const page = prepare(shell, PAGE);
  served.set("/app", page);
  served.set("/app/", page);
  served.set(
    "/manifest.webmanifest",
    prepare(manifest(place), { "content-type": "application/manifest+json", ...ASKED_AGAIN }),
  );
  // The page stands under one of its two names, and the icon is served beside the app.
  const elsewhere = new Set(["/app", "/manifest.webmanifest"]);
  const list = [...[...served.keys()].filter((path) => !elsewhere.has(path)), ICON.path];
  served.set("/sw.js", prepare(workerText(shell, list), { ...SCRIPT, ...ASKED_AGAIN }));
  return served;
}

/** The worker with what it keeps written into it: a browser takes it as new when anything of the app changed. */
function workerText(page: string, list: readonly string[]): string {
  const { text: rules } = asOneScript(new URL("./worker/sw.ts", import.meta.url));
  const version = hashOf([page, rules, ...list]);
  const head = `const VERSION = ${JSON.stringify(version)};\nconst SHELL = ${JSON.stringify(list)};\n`;
  return head + rules;
}
