// The fields of an invite that its owner fills.

import { z } from "zod";
import { LIMITS } from "../limits.ts";
import { instant, text } from "./accepts.ts";
import { moment, whole, words } from "./kinds.ts";
import { defineFields } from "./record.ts";

const USES = `must be a whole number from 1 to ${LIMITS.invite_uses}`;

export const INVITE = defineFields({
  label: {
    ...words.orNull,
    accepts: text(0, LIMITS.invite_label),
    about: "Your own note; never shown to a subscriber.",
    shown: ["owner", "list"],
    drawn: {
      label: "Note",
      plain: ["form"],
      own: ["owner"],
      hint: "Only you see it: where the code hangs, whom it is for.",
    },
  },
  max_uses: {
    ...whole.orNull,
    accepts: z.int().min(1, USES).max(LIMITS.invite_uses, USES),
    about: "Phones that may join with it; without it, any number.",
    shown: ["owner", "list"],
    drawn: {
      label: "Phones that may join",
      plain: ["form"],
      own: ["owner"],
      hint: "1 makes a one-shot link. Left empty, there is no bound.",
    },
  },
  expires_at: {
    ...moment.orNull,
    accepts: instant(),
    about: "When it stops working; without it, never.",
    shown: ["owner", "list"],
    drawn: { label: "Ends at", own: ["form", "owner"], hint: "Read when “Until…” is chosen." },
  },
});
