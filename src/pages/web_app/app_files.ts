// All served files of the web app, by address. They come from an allow list, never from a request's path. The app's
// page is shown before any script runs. The page for an alert's markup has no origin, no network but for pictures, and
// one script, whose hash is in its policy. It receives the markup as a message, so no address contains any part of an
// alert.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { prepareStatic, type StaticContent } from "../../api/transports/static_content.ts";
import { COLOR_SCHEME_SCRIPT, colorSchemeScript } from "../../ui/color_scheme_choice.ts";
import { html } from "../../ui/html.ts";
import { MOBILE_HEAD, PAGE_BACKGROUND_COLORS } from "../../ui/mobile_head_tags.ts";
import { ALERT_CARD_STYLES, ICON, loadStaticFile, STYLES } from "../../ui/static_files.ts";
import { LANGUAGES } from "./browser/texts/languages.ts";
import { loadBrowserScripts } from "./browser_scripts.ts";

/** The address of a file of this version. */
const getAppFilePath = (hash: string, name: string) => `/static/app/${hash}/${name}`;

/** The app may read where it is and make a sound; a page of ours may nothing else. */
const APP_PERMISSIONS =
  "accelerometer=(), autoplay=(self), camera=(), display-capture=(), geolocation=(self), gyroscope=(), " +
  "microphone=(), payment=(), usb=()";

const APP_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "frame-src 'self'",
  // A channel's picture and sound may be on any server. The app requests one only where the person allowed it.
  "img-src 'self' https: data: blob:",
  "media-src 'self' https: data: blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types belfry-worker",
].join("; ");

/** @param hash of all files of this version */
const renderAppPage = (hash: string): string =>
  html`<!doctype html>
<html lang="en">
<head>
${MOBILE_HEAD}
${colorSchemeScript(getAppFilePath(hash, "color_scheme.js"))}
<meta name="description" content="Alerts from the channels you follow, on this device.">
<meta name="robots" content="noindex">
<title>Belfry</title>
<link rel="icon" href="${ICON.path}">
<link rel="apple-touch-icon" href="${getAppFilePath(hash, "icon-192.png")}">
<link rel="manifest" href="/manifest.webmanifest">
<link rel="stylesheet" href="${getAppFilePath(hash, "app.css")}">
<script type="module" src="${getAppFilePath(hash, "main.js")}"></script>
</head>
<body>
<div id="app">
<main class="still" id="main">
<p class="brand"><img src="${ICON.path}" alt="" width="28" height="28">Belfry</p>
<h1>Your alerts</h1>
<p>Alerts from the channels you follow appear here. They are stored on this device and ring only if you allow it.
No account, name or address is needed.</p>
<noscript><p class="flash careful">This page needs JavaScript to store your alerts on this device.
<a href="/c">The channel directory</a> works without it.</p></noscript>
</main>
</div>
</body>
</html>
`.toString();

/** @param place the address of a picture of this version. */
function createManifest(place: (name: string) => string): string {
  const icon = (name: string, size: number, purpose: string) => ({
    src: place(name),
    sizes: `${size}x${size}`,
    type: "image/png",
    purpose,
  });
  return JSON.stringify({
    id: "/app/",
    lang: "en",
    dir: "ltr",
    name: "Belfry",
    short_name: "Belfry",
    description: "Alerts from the channels you follow, on this device.",
    start_url: "/app/",
    scope: "/app",
    display: "standalone",
    background_color: PAGE_BACKGROUND_COLORS.light,
    theme_color: "#3d4fc7",
    categories: ["news", "utilities"],
    icons: [
      { src: "/static/icon.svg", sizes: "any", type: "image/svg+xml", purpose: "any" },
      icon("icon-192.png", 192, "any"),
      icon("icon-512.png", 512, "any"),
      icon("icon-maskable-512.png", 512, "maskable"),
    ],
    shortcuts: [{ name: "Channels", url: "/app/#channels" }],
  });
}

const FRAME_SCRIPT = readFileSync(new URL("./markup_frame.js", import.meta.url), "utf8");

const ALERT_FRAME_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light">
<title>Alert</title>
</head>
<body>
<script>${FRAME_SCRIPT}</script>
</body>
</html>
`;

const mark = `'sha256-${createHash("sha256").update(FRAME_SCRIPT).digest("base64")}'`;

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

/**
 * Name of the page → its policy. Pictures come from this service and the markup itself, or from anywhere on the
 * person's request.
 */
const ALERT_FRAME_POLICIES = {
  "frame.html": policyWith("'self' data:"),
  "frame_pictures.html": policyWith("https: data:"),
};

/** A digest of all texts, short enough for an address. */
function hashOf(texts: readonly string[]): string {
  const hash = createHash("sha256");
  for (const text of texts) hash.update(`${text.length}:${text}`);
  return hash.digest("base64url").slice(0, 12);
}

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

const { text: APP_STYLES } = loadStaticFile(
  "app.css",
  "text/css; charset=utf-8",
  import.meta.url,
  ["frame", "notes", "lists", "cards", "channels", "opened_alert", "settings", "wide"].map(
    (part) => `styles/${part}.css`,
  ),
);

export async function buildAppFiles(): Promise<Map<string, StaticContent>> {
  const { app, "sw.js": worker } = await loadBrowserScripts();
  const scripts = [...Object.entries(app), ["color_scheme.js", COLOR_SCHEME_SCRIPT.text] as const];
  const sheet = STYLES.text + ALERT_CARD_STYLES.text + APP_STYLES;
  const hash = hashOf([...scripts.flat(), sheet, ALERT_FRAME_PAGE, ...Object.values(ALERT_FRAME_POLICIES)]);
  const place = (name: string) => getAppFilePath(hash, name);
  const served = new Map<string, StaticContent>();

  for (const [name, text] of scripts) served.set(place(name), prepareStatic(text, { ...SCRIPT, ...KEPT }));
  served.set(place("app.css"), prepareStatic(sheet, { "content-type": "text/css; charset=utf-8", ...KEPT }));
  for (const name of ICONS)
    served.set(place(name), prepareStatic(file(`./icons/${name}`), { "content-type": "image/png", ...KEPT }));

  for (const [name, policy] of Object.entries(ALERT_FRAME_POLICIES))
    served.set(place(name), prepareStatic(ALERT_FRAME_PAGE, { ...FRAME, "content-security-policy": policy }));

  const shell = renderAppPage(hash);
  const page = prepareStatic(shell, PAGE);
  served.set("/app", page);
  served.set("/app/", page);
  served.set(
    "/manifest.webmanifest",
    prepareStatic(createManifest(place), { "content-type": "application/manifest+json", ...ASKED_AGAIN }),
  );
  const languages = Object.fromEntries(Object.keys(LANGUAGES).map((language) => [language, place(`${language}.js`)]));
  // The page is cached under one of its two names, and the icon is served with the app. The worker caches the reader's
  // language only.
  const elsewhere = new Set(["/app", "/manifest.webmanifest", ...Object.values(languages)]);
  const list = [...[...served.keys()].filter((path) => !elsewhere.has(path)), ICON.path];
  served.set("/sw.js", prepareStatic(workerText(shell, list, languages, worker), { ...SCRIPT, ...ASKED_AGAIN }));
  return served;
}

/** The worker with the list of what it caches: a browser takes it as new when anything of the app changed. */
function workerText(page: string, list: readonly string[], languages: Record<string, string>, rules: string): string {
  const version = hashOf([page, rules, ...list, ...Object.values(languages)]);
  const constants = { VERSION: version, SHELL: list, LANGUAGE_FILES: languages };
  const head = Object.entries(constants).map(([name, value]) => `const ${name} = ${JSON.stringify(value)};\n`);
  return head.join("") + rules;
}
