// The ordered list of everything that the service can do for an owner; it doubles as the table of contents.

import type { OwnerOperation } from "../src/operation/define_operation.ts";
import cancel_alert from "./cancel_alert.ts";
import create_alert from "./create_alert.ts";
import create_invite from "./create_invite.ts";
import create_pusher from "./create_pusher.ts";
import create_webhook from "./create_webhook.ts";
import delete_alert from "./delete_alert.ts";
import delete_pusher from "./delete_pusher.ts";
import delete_webhook from "./delete_webhook.ts";
import duplicate_alert from "./duplicate_alert.ts";
import enable_webhook from "./enable_webhook.ts";
import get_account_stats from "./get_account_stats.ts";
import get_alert from "./get_alert.ts";
import get_alert_stats from "./get_alert_stats.ts";
import get_me from "./get_me.ts";
import get_pusher from "./get_pusher.ts";
import get_pusher_stats from "./get_pusher_stats.ts";
import list_account_alerts from "./list_account_alerts.ts";
import list_alerts from "./list_alerts.ts";
import list_audit_events from "./list_audit_events.ts";
import list_deliveries from "./list_deliveries.ts";
import list_events from "./list_events.ts";
import list_invites from "./list_invites.ts";
import list_pushers from "./list_pushers.ts";
import list_subscribers from "./list_subscribers.ts";
import list_webhooks from "./list_webhooks.ts";
import move_alerts from "./move_alerts.ts";
import preview_html from "./preview_html.ts";
import redeliver from "./redeliver.ts";
import revoke_invite from "./revoke_invite.ts";
import rotate_webhook_secret from "./rotate_webhook_secret.ts";
import schedule_alert from "./schedule_alert.ts";
import send_alert from "./send_alert.ts";
import test_webhook from "./test_webhook.ts";
import update_alert from "./update_alert.ts";
import update_pusher from "./update_pusher.ts";
import wait_for_replies from "./wait_for_replies.ts";
import wait_for_review from "./wait_for_review.ts";

const LIST = [
  get_me,
  list_webhooks,
  create_webhook,
  delete_webhook,
  list_deliveries,
  test_webhook,
  redeliver,
  enable_webhook,
  rotate_webhook_secret,
  list_events,
  list_pushers,
  create_pusher,
  get_pusher,
  update_pusher,
  delete_pusher,
  list_invites,
  create_invite,
  revoke_invite,
  list_account_alerts,
  list_alerts,
  create_alert,
  get_alert,
  update_alert,
  send_alert,
  schedule_alert,
  wait_for_review,
  cancel_alert,
  move_alerts,
  duplicate_alert,
  delete_alert,
  preview_html,
  get_alert_stats,
  wait_for_replies,
  get_pusher_stats,
  get_account_stats,
  list_subscribers,
  list_audit_events,
] as const;

export const OPERATIONS: readonly OwnerOperation[] = LIST;

/** Each of them with its own name, arguments and answer. */
export type KnownOperation = (typeof LIST)[number];
