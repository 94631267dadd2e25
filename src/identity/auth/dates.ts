// The ORM's connection answers timestamps as text, the sign-in library compares dates: without this, an expired session
// would stay valid, since no comparison with text is ever true.

import type { KyselyPlugin } from "kysely";

const TIMESTAMP = /^\d{4,}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?\+00(:?00)?$/;
/** The library's own timestamp columns; any other text column may look like a timestamp and must stay text. */
const COLUMN = /(?:At|Time|Until)$|^revoked$/;

export const datesForSignIn: KyselyPlugin = {
  transformQuery: ({ node }) => node,
  async transformResult({ result }) {
    for (const row of result.rows)
      for (const [name, value] of Object.entries(row))
        if (typeof value === "string" && COLUMN.test(name) && TIMESTAMP.test(value))
          row[name] = new Date(value.replace(" ", "T").replace(/\+00(:?00)?$/, "Z"));
    return result;
  },
};
