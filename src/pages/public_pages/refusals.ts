// What those are told who may not see a channel, or asked for one that is not there: one text for all of them, byte for
// byte (docs/rules.md#private-page). What came with a code is told of codes, whatever became of it and of the channel.

import { refusal, wantsPage } from "../../api/transports/answers.ts";
import { ApiError } from "../../model/errors.ts";
import { html } from "../../ui/html.ts";
import { icon } from "../../ui/icons.ts";
import { type Places, placesOf } from "./deps.ts";
import { frame, pageAnswer, SHARED } from "./frame.ts";

const TEXTS = {
  unknown: {
    title: "You need an invite",
    text: "No public channel has this address. If somebody told you of it, the channel is private, and the link or QR code that they can give you opens it. If you typed the address, look at it again.",
  },
  invite: {
    title: "This invite does not work",
    text: "It may have been used up, ended or taken back, or its link was cut off when it was copied. Ask whoever gave it to you for a new one.",
  },
} as const;

export type Refused = keyof typeof TEXTS;

/**
 * Made once: no answer takes longer than another. `form`: what the address is otherwise. A refusal in that form is kept by caches as the
 * address itself is; what a reader had rather is theirs alone, so that nothing differs by reader.
 */
export function refusals(
  places: Places,
  form: "page" | "data" = "page",
): (request: Request, which: Refused) => Response {
  const pageOf = (which: Refused) =>
    frame(
      {
        title: `${TEXTS[which].title} · Belfry`,
        hidden: true,
        body: html`<div class="refused">${icon("lock")}<h1>${TEXTS[which].title}</h1><p>${TEXTS[which].text}</p>
<p><a class="button plain" href="${places.directory}">Find a public channel</a></p></div>`,
      },
      places,
    );
  const pages = { unknown: pageOf("unknown"), invite: pageOf("invite") };
  return (request, which) => {
    const shared = which === "unknown";
    if (wantsPage(request))
      return pageAnswer(request, pages[which], { places, status: 404, secret: !shared || form === "data" });
    const headers: Record<string, string> = shared && form === "data" ? { "cache-control": SHARED } : {};
    return refusal(new ApiError("not_found", `${TEXTS[which].title}. ${TEXTS[which].text}`, { headers }));
  };
}

const READING = ["GET", "HEAD"];

/** What is told where nothing is: a page to a browser, JSON to a program; and what else a route refuses. */
export function nowhere(
  deps: Parameters<typeof placesOf>[0],
): (request: Request, error: ApiError) => Response {
  const places = placesOf(deps);
  const page = frame(
    {
      title: "Nothing here · Belfry",
      hidden: true,
      body: html`<div class="refused">${icon("search")}<h1>Nothing here</h1><p>No page has this address. Look at it again: a link may have been cut off when it was copied.</p>
<p><a class="button plain" href="${places.origin}/">Go to the front page</a></p></div>`,
    },
    places,
  );
  return (request, error) =>
    error.type === "not_found" && READING.includes(request.method) && wantsPage(request)
      ? pageAnswer(request, page, { places, status: 404, secret: true })
      : refusal(error);
}
