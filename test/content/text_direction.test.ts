// Texts of another direction inside of our own: isolated in markup and in e-mails.

import { expect, test } from "vitest";
import { createDraftReviewMail, createMemberLinkMail } from "../../src/identity/auth/mail.ts";
import { html, isolate, xml } from "../../src/ui/html.ts";

const NAME = "مرفأ 3";
const FSI = "\u2068";
const PDI = "\u2069";

// rules#app-languages
test.each([
  ["between tags", html`<p>The channel ${NAME}: 2 alerts</p>`, `<p>The channel <bdi>${NAME}</bdi>: 2 alerts</p>`],
  ["in a list", html`<p>${[NAME, "b"]}</p>`, `<p><bdi>${NAME}</bdi>b</p>`],
  ["escaped", html`<p>${"<ש>"}</p>`, "<p><bdi>&lt;ש&gt;</bdi></p>"],
  ["without such letters", html`<p>${"Quay 3"}</p>`, "<p>Quay 3</p>"],
  ["isolated before", html`<p>${isolate(NAME)}</p>`, `<p><bdi>${NAME}</bdi></p>`],
  ["in an element of its own direction", html`<h1 dir="auto">${NAME}</h1>`, `<h1 dir="auto">${NAME}</h1>`],
  ["in an attribute", html`<a title="${NAME}">x</a>`, `<a title="${NAME}">x</a>`],
  ["in an attribute that is a part", html` alt="Of ${NAME}"`, ` alt="Of ${NAME}"`],
  ["in a field", html`<textarea name="a">${NAME}</textarea>`, `<textarea name="a">${NAME}</textarea>`],
  ["in a title", html`<title>${NAME} · Belfry</title>`, `<title>${NAME} · Belfry</title>`],
  ["in a drawing", html`<svg><text x="1">${NAME}</text></svg>`, `<svg><text x="1">${NAME}</text></svg>`],
  ["in a feed", xml`<title>${NAME}</title><a>${NAME}</a>`, `<title>${NAME}</title><a>${NAME}</a>`],
])("a right-to-left text %s", (_, markup, expected) => expect(String(markup)).toBe(expected));

test("names in e-mails are isolated", () => {
  const link = createMemberLinkMail("a@b.example", NAME, "https://x.example", false);
  expect(link.subject).toBe(`Join ${FSI}${NAME}${PDI} on Belfry`);
  const draft = createDraftReviewMail("a@b.example", { channel: NAME, asker: "Quay", url: "https://x.example" });
  expect(draft.text).toContain(`“Quay” submitted a draft for review on the channel ${FSI}${NAME}${PDI}.`);
});
