// The ordered list of what a subscribing device can do. Never MCP tools.

import type { HandsetOperation } from "../operation/tool.ts";
import create_transfer from "./create_transfer.ts";
import delete_device from "./delete_device.ts";
import delete_push_endpoint from "./delete_push_endpoint.ts";
import delete_subscription from "./delete_subscription.ts";
import export_subscriptions from "./export_subscriptions.ts";
import follow_inbox from "./follow_inbox.ts";
import get_channel from "./get_channel.ts";
import get_device from "./get_device.ts";
import get_inbox from "./get_inbox.ts";
import get_owner from "./get_owner.ts";
import get_push from "./get_push.ts";
import import_subscriptions from "./import_subscriptions.ts";
import link_owner from "./link_owner.ts";
import list_channels from "./list_channels.ts";
import list_subscriptions from "./list_subscriptions.ts";
import post_reports from "./post_reports.ts";
import prune_reports from "./prune_reports.ts";
import put_push_endpoint from "./put_push_endpoint.ts";
import put_subscription from "./put_subscription.ts";
import register_device from "./register_device.ts";
import take_over from "./take_over.ts";
import unlink_owner from "./unlink_owner.ts";
import update_device from "./update_device.ts";

export const HANDSET_OPERATIONS: readonly HandsetOperation[] = [
  register_device,
  get_device,
  update_device,
  delete_device,
  list_channels,
  get_channel,
  list_subscriptions,
  put_subscription,
  delete_subscription,
  export_subscriptions,
  import_subscriptions,
  create_transfer,
  take_over,
  get_inbox,
  follow_inbox,
  post_reports,
  prune_reports,
  get_push,
  put_push_endpoint,
  delete_push_endpoint,
  get_owner,
  link_owner,
  unlink_owner,
];
