// Where an assistant sends a person's browser first. Answers by going on, or by a page that says why not.

import { openPage, type Page } from "../visit.ts";

export const AUTHORIZE_PAGES: readonly Page[] = [
  {
    ...openPage("GET", "/api/auth/oauth2/authorize", async (visit) => {
      const { deps, request, session, address } = visit;
      const { goTo, cookies } = await deps.authorize(request, session?.user.id ?? null, address);
      return visit.goTo(goTo, undefined, cookies);
    }),
    // The assistant's description, and a code.
    writes: true,
  },
];
