// The ordered list of what a subscribing device can do. Never MCP tools.

import type { HandsetOperation } from "../operation/tool.ts";
import delete_subscription from "./delete_subscription.ts";
import get_channel from "./get_channel.ts";
import get_inbox from "./get_inbox.ts";
import list_channels from "./list_channels.ts";
import post_reports from "./post_reports.ts";
import prune_reports from "./prune_reports.ts";
import put_subscription from "./put_subscription.ts";
import register_device from "./register_device.ts";

export const HANDSET_OPERATIONS: readonly HandsetOperation[] = [
  register_device,
  list_channels,
  get_channel,
  put_subscription,
  delete_subscription,
  get_inbox,
  post_reports,
  prune_reports,
];
