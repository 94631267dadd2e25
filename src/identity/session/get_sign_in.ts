import { z } from "zod";
import { defineSessionOperation } from "../../operation/tool.ts";

export default defineSessionOperation({
  name: "get_sign_in",
  title: "Get own ways to sign in",
  description:
    "Whether the person's two-factor authentication is on, and the passkeys. No secret is ever shown again.",
  auth: "person",
  role: null,
  writes: "nothing",
  errors: ["invalid_request", "forbidden"],
  input: z.strictObject({}),
  output: z.object({
    second_factor: z.boolean(),
    recovery_codes_left: z.int(),
    passkeys_possible: z
      .boolean()
      .describe("Whether browsers make passkeys for this server's address at all."),
    passkeys: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        synced: z.boolean(),
        created_at: z.string(),
        last_used_at: z.string().nullable(),
      }),
    ),
  }),
  async handler(_input, { em, caller: { person }, services: { signIn } }) {
    const factor = await signIn.secondFactor.state(em, person);
    const passkeys = await signIn.passkeys.list(em, person);
    return {
      second_factor: factor.on,
      recovery_codes_left: factor.recoveryCodesLeft,
      passkeys_possible: signIn.passkeys.possible,
      passkeys: passkeys.map((row) => ({
        id: row.id,
        name: row.name,
        synced: row.backedUp,
        created_at: row.createdAt.toISOString(),
        last_used_at: row.lastUsedAt?.toISOString() ?? null,
      })),
    };
  },
});
