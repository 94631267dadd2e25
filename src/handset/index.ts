// The ordered list of what a subscribing device can do. Never MCP tools.

import type { HandsetOperation } from "../operation/tool.ts";
import * as device from "./device.ts";
import { follow_inbox, get_inbox, get_inbox_alert } from "./get_inbox.ts";
import * as moving from "./moving.ts";
import * as push from "./push_endpoint.ts";
import { post_reports, prune_reports } from "./reports.ts";
import * as subscriptions from "./subscriptions.ts";

export const HANDSET_OPERATIONS: readonly HandsetOperation[] = [
  device.register_device,
  device.get_device,
  device.update_device,
  device.delete_device,
  subscriptions.list_channels,
  subscriptions.get_channel,
  subscriptions.list_subscriptions,
  subscriptions.put_subscription,
  subscriptions.delete_subscription,
  moving.export_subscriptions,
  moving.import_subscriptions,
  moving.create_transfer,
  moving.take_over,
  get_inbox,
  get_inbox_alert,
  follow_inbox,
  post_reports,
  prune_reports,
  push.get_push,
  push.put_push_endpoint,
  push.delete_push_endpoint,
  device.get_owner,
  device.link_owner,
  device.unlink_owner,
];
