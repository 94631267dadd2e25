// The app's page: what a browser shows before any script ran, and the policy under which the script runs.

import { ICON } from "../../ui/files.ts";
import { PHONE_HEAD } from "../../ui/head.ts";
import { html } from "../../ui/html.ts";

/** Where a file of this version lies. */
export const placeOf = (hash: string, name: string) => `/static/app/${hash}/${name}`;

/** The app may read where it is and make a sound; a page of ours may nothing else. */
export const APP_PERMISSIONS =
  "accelerometer=(), autoplay=(self), camera=(), display-capture=(), geolocation=(self), gyroscope=(), microphone=(), payment=(), usb=()";

export const APP_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "frame-src 'self'",
  // A channel's picture and sound lie wherever its owner put them. The app asks for one only where the person allowed it.
  "img-src 'self' https: data: blob:",
  "media-src 'self' https: data: blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types belfry-worker",
].join("; ");

/** @param hash of all files of this version */
export const shellPage = (hash: string): string =>
  html`<!doctype html>
<html lang="en">
<head>
${PHONE_HEAD}
<meta name="description" content="Alerts of the channels that you follow, on this device.">
<meta name="robots" content="noindex">
<title>Belfry</title>
<link rel="icon" href="${ICON.path}">
<link rel="apple-touch-icon" href="${placeOf(hash, "icon-192.png")}">
<link rel="manifest" href="/manifest.webmanifest">
<link rel="stylesheet" href="${placeOf(hash, "app.css")}">
<script type="module" src="${placeOf(hash, "main.js")}"></script>
</head>
<body>
<div id="app">
<main class="still" id="main">
<p class="brand"><img src="${ICON.path}" alt="" width="28" height="28">Belfry</p>
<h1>Your alerts</h1>
<p>Alerts of the channels that you follow are shown here, kept on this device, and ring as you allow them to.
No account, no name, no address.</p>
<noscript><p class="flash careful">This page needs JavaScript: it keeps your alerts on this device by it.
<a href="/c">The directory of channels</a> works without.</p></noscript>
</main>
</div>
</body>
</html>
`.toString();
