// Everything of the web app that is served, by its address: made once, from an allow list, never from a request's path.

import { readFileSync } from "node:fs";
import { STYLES } from "../look/files.ts";
import { prepare, type Static } from "../transports/static.ts";
import { FRAME_PAGE, FRAME_POLICY, FRAME_POLICY_WITH_PICTURES } from "./frame.ts";
import { manifest } from "./manifest.ts";
import { hashOf, readModules, withoutTypes } from "./modules.ts";
import { APP_PERMISSIONS, placeOf, shellPage } from "./shell.ts";

const ICONS = ["icon-192.png", "icon-512.png", "icon-maskable-512.png"];

const KEPT = {
  "cache-control": "public, max-age=31536000, immutable",
  "content-security-policy": "default-src 'none'",
};
const ASKED_AGAIN = { "cache-control": "no-cache" };
const SCRIPT = { "content-type": "text/javascript; charset=utf-8" };
const PAGE = {
  ...ASKED_AGAIN,
  "content-type": "text/html; charset=utf-8",
  "referrer-policy": "no-referrer",
  "permissions-policy": APP_PERMISSIONS,
};

const file = (name: string) => readFileSync(new URL(name, import.meta.url));

export function webAppFiles(): Map<string, Static> {
  const modules = readModules();
  const sheet = STYLES.text + file("./app.css").toString();
  const hash = hashOf([modules.hash, sheet, FRAME_PAGE]);
  const place = (name: string) => placeOf(hash, name);
  const served = new Map<string, Static>();

  for (const [name, text] of modules.texts) served.set(place(name), prepare(text, { ...SCRIPT, ...KEPT }));
  served.set(place("app.css"), prepare(sheet, { "content-type": "text/css; charset=utf-8", ...KEPT }));
  for (const name of ICONS)
    served.set(place(name), prepare(file(`./icons/${name}`), { "content-type": "image/png", ...KEPT }));

  const shell = shellPage(hash, modules);
  const page = prepare(shell.text, {
    ...PAGE,
    "content-security-policy": shell.policy,
    "x-frame-options": "DENY",
  });
  served.set("/app", page);
  served.set("/app/", page);
  served.set("/app/frame", prepare(FRAME_PAGE, { ...PAGE, "content-security-policy": FRAME_POLICY }));
  served.set(
    "/app/frame/pictures",
    prepare(FRAME_PAGE, { ...PAGE, "content-security-policy": FRAME_POLICY_WITH_PICTURES }),
  );
  served.set(
    "/manifest.webmanifest",
    prepare(manifest(place), { "content-type": "application/manifest+json", ...ASKED_AGAIN }),
  );
  const list = [...served.keys()].filter((path) => !path.startsWith("/manifest"));
  served.set("/sw.js", prepare(workerText(shell.text, list), { ...SCRIPT, ...ASKED_AGAIN }));
  return served;
}

/** The worker with what it keeps written into it: a browser takes it as new when anything of the app changed. */
function workerText(page: string, list: readonly string[]): string {
  const version = hashOf([page, ...list]);
  const head = `const VERSION = ${JSON.stringify(version)};\nconst SHELL = ${JSON.stringify(list)};\n`;
  return head + asClassic(withoutTypes(file("./worker/sw.ts").toString()));
}

/** A module without what makes it one: it stands alone, or beside what it imports. */
const asClassic = (text: string) => text.replace(/^import .*$/gm, "").replace(/^export (\{\};)?/gm, "");
