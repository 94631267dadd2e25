import { z } from "zod";
import { newUuid } from "../../model/domain/ids.ts";
import { conflict } from "../../model/errors.ts";
import { toIsoMicros } from "../../model/fields/columns.ts";
import { LIMITS } from "../../model/limits.ts";
import { defineSessionOperation } from "../../operation/tool.ts";
import { putOwnLink } from "../../store/queries/own_devices.ts";
import { mintToken, OWN_DEVICE_PREFIX } from "../auth/tokens.ts";

export default defineSessionOperation({
  name: "link_own_device",
  title: "Make a link for an own device",
  description: `Make a link by which the handset that opens it becomes the person's own: once, within ${LIMITS.own_device_minutes} minutes. It is shown this once; another one replaces it.`,
  auth: "person",
  role: null,
  writes: "rows",
  errors: ["invalid_request", "forbidden", "conflict"],
  input: z.strictObject({}),
  output: z.object({ url: z.string(), expires_at: z.string() }),
  async handler(_, { sql, caller: { person }, services: { publicUrl } }) {
    const { token: code, hash: code_hash } = mintToken(OWN_DEVICE_PREFIX);
    const [row] = await sql(putOwnLink, { id: newUuid(), user_id: person.id, code_hash });
    if (!row?.expires_at)
      throw conflict(
        `You have ${LIMITS.own_devices} devices of your own, which is the most; unlink one first.`,
      );
    // Behind the "#", which no browser sends: no server or log on the way sees it.
    return { url: `${publicUrl}/app/#own=${code}`, expires_at: toIsoMicros(row.expires_at) };
  },
});
