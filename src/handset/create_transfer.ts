import { z } from "zod";
import { mintToken, TRANSFER_PREFIX } from "../identity/auth/tokens.ts";
import { unauthorized } from "../model/errors.ts";
import { toIsoMicros } from "../model/fields/columns.ts";
import { LIMITS } from "../model/limits.ts";
import { defineHandsetOperation, MAX_BODY } from "../operation/tool.ts";
import { putTransfer } from "../store/queries/moving.ts";

export default defineHandsetOperation({
  name: "create_transfer",
  title: "Code to move by",
  description: `Make a code by which another handset takes over every subscription of this one, private ones included: once, within ${LIMITS.move_minutes} minutes. It is shown this once; another one replaces it. Whoever has the code can use it. The address opens the web app with it, as a link or a QR code.`,
  auth: "device",
  writes: "rows",
  http: { method: "POST", path: "/handset/v1/devices/me/transfer", status: 201, maxBody: MAX_BODY.handset },
  errors: ["invalid_request", "unauthorized"],
  input: z.strictObject({}),
  output: z.object({ code: z.string(), url: z.string(), expires_at: z.string() }),
  async handler(_, ctx) {
    const { token: code, hash: code_hash } = mintToken(TRANSFER_PREFIX);
    const [row] = await ctx.sql(putTransfer, {
      device_id: ctx.caller.id,
      code_hash,
      seconds: LIMITS.move_minutes * 60,
    });
    if (!row) throw unauthorized();
    // Behind the "#", which no browser sends: no server or log on the way sees it.
    const url = `${ctx.services.publicUrl}/app/#move=${code}`;
    return { code, url, expires_at: toIsoMicros(row.expires_at) };
  },
});
