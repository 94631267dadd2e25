// Remembers that an assistant was just told which further scopes a call needs.

import { defineEntity, p } from "@mikro-orm/core";
import { instant } from "../fields/columns.ts";

/** Kept for seconds only: until the assistant comes back, with a person for the consent or with a refresh token without. */
export const StepUp = defineEntity({
  name: "StepUp",
  tableName: "step_up",
  properties: {
    user_id: p.text().primary(),
    client_id: p.text().primary(),
    asked_at: instant(),
  },
});
