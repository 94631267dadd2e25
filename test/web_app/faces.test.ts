// The letters on a channel's two colours: one rule for the server's pages and for the app, which is sent the same file.

import { expect, test } from "vitest";
import { asOneScript, scriptsOf } from "../../src/pages/web_app/modules.ts";
import { inkOn } from "../../src/ui/ink.ts";

test.each([
  ["#000000", "#000000", "#ffffff"],
  ["#ffffff", "#ffffff", "#1b1c22"],
  ["#c026a0", "#991b1b", "#ffffff"],
  ["#fff8d0", "#ffffff", "#1b1c22"],
  // The worse of the two decides: white is lost on the yellow, ink can be read on both.
  ["#ffe14d", "#8a8a8a", "#1b1c22"],
])("on %s and %s they are %s", (from, to, ink) =>
  expect(inkOn({ gradient_from: from, gradient_to: to })).toBe(ink),
);

test("the app has the rule at once, as a browser runs it", async () => {
  const { text } = asOneScript(new URL("../../src/ui/ink.ts", import.meta.url), { exported: true });
  const app = scriptsOf(new URL("../../src/pages/web_app/browser/main.ts", import.meta.url)).get("main.js")!;
  const rule = /"use strict";([\s\S]*)\}\)/.exec(text)![1]!;
  expect(app).toContain(rule);
  const sent = await import(`data:text/javascript,${encodeURIComponent(text)}`);
  const colours = { gradient_from: "#ffe14d", gradient_to: "#8a8a8a" };
  expect(sent.inkOn(colours)).toBe(inkOn(colours));
});
