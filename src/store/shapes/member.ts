// What may be wished for a member. Whether it makes sense, and whether the manager may give it, the rules for members say.

import { z } from "zod";

export const memberWish = z.strictObject({
  role: z.string(),
  every_channel: z
    .boolean()
    .describe("Every channel, later ones included. Beside single ones it contradicts itself."),
  pusher_ids: z.array(z.string()).describe("The only channels that the member sees."),
});

export type MemberWish = z.infer<typeof memberWish>;
