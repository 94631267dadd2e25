// Searches of an account's alerts: by a word of all, of one here and there, of none, and by two that no alert has
// together.

import { toTsqueryTerm } from "../../src/model/domain/search_terms.ts";
import { searchAlertsByOrder } from "../../src/store/queries/alert_search.ts";
import { ID_SUFFIX_LENGTH } from "../../src/store/queries/alert_search_index.ts";
import { createScopeParameters, getRequest, withKeyLookup } from "../case_requests.ts";
import type { BenchCase } from "../case_types.ts";
import { toPgbenchScript } from "../load_generators.ts";
import { benchId } from "../seed_database.ts";

const WORDS = { everywhere: "channel", "here and there": "40", nowhere: "submarine", "never together": "1 2" };

export const SEARCH_CASES: BenchCase[] = Object.entries(WORDS).map(([name, words]) => ({
  name: `search of a word, ${name}`,
  sides: {
    http: async (world) => getRequest(world, `/api/v1/core/alerts?status=sent&query=${encodeURIComponent(words)}`),
    pgbench: async (world) => {
      const { workspace_id, pusher_ids } = createScopeParameters("null");
      const terms = words.split(" ").map(toTsqueryTerm).join(" & ").replaceAll("'", "''");
      const scan = `${terms} & ''%${benchId("workspace", 0).slice(-ID_SUFFIX_LENGTH)}''`;
      return withKeyLookup(world, [
        toPgbenchScript(searchAlertsByOrder.newest.sent, {
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
