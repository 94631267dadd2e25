// Starts the app: takes the place of what the page said before.

import { render } from "preact";
import { html } from "./markup.ts";

const root = document.getElementById("app")!;
root.replaceChildren();
render(html`<main class="still" id="main" tabindex="-1"><h1>Your alerts</h1></main>`, root);
