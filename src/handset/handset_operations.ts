// The ordered list of what a subscribing device can do. Never MCP tools.

import type { HandsetOperation } from "../operation/define_operation.ts";
import * as device from "./device_operations.ts";
import { follow_inbox, get_inbox, get_inbox_alert } from "./inbox_and_stream_operations.ts";
import * as push from "./push_operations.ts";
import { post_reports, prune_reports } from "./report_operations.ts";
import * as subscriptions from "./subscription_operations.ts";
import * as moving from "./subscription_transfer.ts";

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
