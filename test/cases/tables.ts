// Every case table, in the order of its chapter. `limits`: it runs with the operations' own ceilings.

import type { Case } from "../support/cases.ts";
import { statusCases } from "./alert_status.ts";
import { alertCases } from "./alerts.ts";
import { authCases } from "./auth.ts";
import { changeCases } from "./changes.ts";
import { duplicateCases } from "./duplicates.ts";
import { idempotencyCases } from "./idempotency.ts";
import { inviteCases } from "./invites.ts";
import { limitCases } from "./limits.ts";
import { listCases } from "./lists.ts";
import { meCases } from "./me.ts";
import { previewCases } from "./preview.ts";
import { pusherCases } from "./pushers.ts";
import { requestCases } from "./requests.ts";
import { statsCases } from "./stats.ts";
import { subscriberCases } from "./subscribers.ts";
import { wayOutCases } from "./ways_out.ts";
import { webhookCases } from "./webhooks.ts";

export interface Table {
  file: string;
  cases: readonly Case[];
  limits?: boolean;
}

export const TABLES: readonly Table[] = [
  { file: "me.ts", cases: meCases },
  { file: "pushers.ts", cases: pusherCases },
  { file: "alerts.ts", cases: alertCases },
  { file: "changes.ts", cases: changeCases },
  { file: "alert_status.ts", cases: statusCases as Case[] },
  { file: "duplicates.ts", cases: duplicateCases },
  { file: "lists.ts", cases: listCases },
  { file: "invites.ts", cases: inviteCases },
  { file: "subscribers.ts", cases: subscriberCases },
  { file: "stats.ts", cases: statsCases },
  { file: "preview.ts", cases: previewCases },
  { file: "webhooks.ts", cases: webhookCases },
  { file: "auth.ts", cases: authCases },
  { file: "requests.ts", cases: requestCases },
  { file: "ways_out.ts", cases: wayOutCases },
  { file: "idempotency.ts", cases: idempotencyCases },
  { file: "limits.ts", cases: limitCases, limits: true },
];
