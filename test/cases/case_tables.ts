// Every case table, in the order of its chapter. `limits`: it runs with the operations' own limits.

import type { TestCase } from "../support/case_runner.ts";
import { accountAlertCases } from "./account_alerts.ts";
import { statusCases } from "./alert_status.ts";
import { composeOnlyCases } from "./alerts/compose_only.ts";
import { createAlertCases, readAlertCases } from "./alerts/create.ts";
import { editAlertCases } from "./alerts/edit.ts";
import { alertFieldCases } from "./alerts/fields.ts";
import { alertHtmlCases } from "./alerts/html.ts";
import { alertNoteCases } from "./alerts/permission_notes.ts";
import { alertVersionCases } from "./alerts/versions.ts";
import { withdrawCases } from "./alerts/withdraw.ts";
import { auditCases } from "./audit.ts";
import { authCases } from "./auth.ts";
import { duplicateCases } from "./duplicates.ts";
import { errorHintCases } from "./error_hints.ts";
import { errorPrecedenceCases } from "./error_precedence.ts";
import { idempotencyCases } from "./idempotency.ts";
import { admitCases } from "./invites/admit.ts";
import { createInviteCases } from "./invites/create.ts";
import { listInviteCases, revokeInviteCases } from "./invites/revoke.ts";
import { limitCases } from "./limits.ts";
import { listCases } from "./lists.ts";
import { meCases } from "./me.ts";
import { moveCases } from "./move_alerts.ts";
import { movePlanCases } from "./move_plans.ts";
import { previewCases } from "./preview.ts";
import { createPusherCases } from "./pushers/create.ts";
import { deletePusherCases } from "./pushers/delete.ts";
import { pusherFieldCases } from "./pushers/fields.ts";
import { askingPusherCases } from "./pushers/permissions.ts";
import { listPusherCases, readPusherCases } from "./pushers/read.ts";
import { changePusherCases } from "./pushers/update.ts";
import { recurrenceCases } from "./recurrence.ts";
import { reviewCases } from "./reviews.ts";
import { scheduleCases } from "./schedule.ts";
import { searchCases } from "./search.ts";
import { sendCancelDeleteCases } from "./send_cancel_delete.ts";
import { accountStatsCases } from "./stats/account.ts";
import { alertStatsCases } from "./stats/alert.ts";
import { channelStatsCases } from "./stats/channel.ts";
import { subscriberCases } from "./subscribers.ts";
import { createWebhookCases } from "./webhooks/create.ts";
import { deliveryCases, deliveryLimitCases } from "./webhooks/deliveries.ts";
import { eventCases } from "./webhooks/events.ts";
import { deleteWebhookCases, listWebhookCases } from "./webhooks/list.ts";

interface CaseTable {
  file: string;
  cases: readonly TestCase[];
  limits?: boolean;
}

export const CASE_TABLES: readonly CaseTable[] = [
  { file: "me.ts", cases: meCases },
  { file: "pushers/fields.ts", cases: pusherFieldCases },
  { file: "pushers/create.ts", cases: createPusherCases },
  { file: "pushers/read.ts", cases: [...readPusherCases, ...listPusherCases] },
  { file: "pushers/update.ts", cases: changePusherCases },
  { file: "pushers/delete.ts", cases: deletePusherCases },
  { file: "pushers/permissions.ts", cases: askingPusherCases },
  { file: "alerts/fields.ts", cases: alertFieldCases },
  { file: "alerts/create.ts", cases: [...createAlertCases, ...readAlertCases] },
  { file: "alerts/html.ts", cases: alertHtmlCases },
  { file: "alerts/permission_notes.ts", cases: alertNoteCases },
  { file: "alerts/edit.ts", cases: editAlertCases },
  { file: "alerts/compose_only.ts", cases: composeOnlyCases },
  { file: "alerts/versions.ts", cases: alertVersionCases },
  { file: "alerts/withdraw.ts", cases: withdrawCases },
  { file: "send_cancel_delete.ts", cases: sendCancelDeleteCases },
  { file: "recurrence.ts", cases: recurrenceCases },
  { file: "schedule.ts", cases: scheduleCases },
  { file: "alert_status.ts", cases: statusCases as TestCase[] },
  { file: "duplicates.ts", cases: duplicateCases },
  { file: "move_alerts.ts", cases: moveCases },
  { file: "move_plans.ts", cases: movePlanCases },
  { file: "search.ts", cases: searchCases },
  { file: "account_alerts.ts", cases: accountAlertCases },
  { file: "lists.ts", cases: listCases },
  { file: "invites/create.ts", cases: createInviteCases },
  { file: "invites/admit.ts", cases: admitCases },
  { file: "invites/revoke.ts", cases: [...listInviteCases, ...revokeInviteCases] },
  { file: "subscribers.ts", cases: subscriberCases },
  { file: "stats/alert.ts", cases: alertStatsCases },
  { file: "stats/channel.ts", cases: channelStatsCases },
  { file: "stats/account.ts", cases: accountStatsCases },
  { file: "preview.ts", cases: previewCases },
  { file: "webhooks/create.ts", cases: createWebhookCases },
  { file: "webhooks/list.ts", cases: [...listWebhookCases, ...deleteWebhookCases] },
  { file: "webhooks/deliveries.ts", cases: deliveryCases },
  { file: "webhooks/deliveries.ts", cases: deliveryLimitCases, limits: true },
  { file: "audit.ts", cases: auditCases },
  { file: "webhooks/events.ts", cases: eventCases },
  { file: "reviews.ts", cases: reviewCases },
  { file: "auth.ts", cases: authCases },
  { file: "error_precedence.ts", cases: errorPrecedenceCases },
  { file: "error_hints.ts", cases: errorHintCases },
  { file: "idempotency.ts", cases: idempotencyCases },
  { file: "limits.ts", cases: limitCases, limits: true },
];
