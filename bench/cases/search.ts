// Searches of an account's alerts: by a word of all, of one here and there, of none, and by two that no alert has together.

import { termOf } from "../../src/model/domain/words.ts";
import { searchAlerts } from "../../src/store/queries/alert_search.ts";
import { MARK } from "../../src/store/queries/alert_words.ts";
import { get, scopeOf, withKey } from "../calls.ts";
import type { Case } from "../case.ts";
import { asScript } from "../load.ts";
import { benchId } from "../seed.ts";

const WORDS = {
  everywhere: "channel",
  "here and there": "40",
  nowhere: "submarine",
  "never together": "1 2",
};

export const SEARCH_CASES: Case[] = Object.entries(WORDS).map(([name, words]) => ({
  name: `search of a word, ${name}`,
  sides: {
    http: async (world) => get(world, `/api/v1/core/alerts?status=sent&query=${encodeURIComponent(words)}`),
    pgbench: async (world) => {
      const { workspace_id, pusher_ids } = scopeOf("null");
      const terms = words.split(" ").map(termOf).join(" & ").replaceAll("'", "''");
      const scan = `${terms} & ''%${benchId("workspace", 0).slice(-MARK)}''`;
      return withKey(world, [
        asScript(searchAlerts.newest.sent, {
          ...{
            workspace_id,
            pusher_ids,
            sought: `'${terms}'`,
            tagged: "'[]'",
            scans: `array['${scan}']`,
            recheck: "false",
          },
          ...{ from: "null", to: "null", before: "null", inside: "null", limit: "51" },
        }),
      ]);
    },
  },
  ratios: [{ of: "http", to: "pgbench", by: "rate", goal: null }],
  flat: ["http"],
}));
