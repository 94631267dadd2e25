// The ordered list of what a subscribing device can do. Never MCP tools.

import type { HandsetOperation } from "../operation/tool.ts";
import {
  delete_device,
  get_device,
  get_owner,
  link_owner,
  register_device,
  unlink_owner,
  update_device,
} from "./device.ts";
import { follow_inbox, get_inbox, post_reports, prune_reports } from "./inbox.ts";
import { create_transfer, export_subscriptions, import_subscriptions, take_over } from "./moving.ts";
import { delete_push_endpoint, get_push, put_push_endpoint } from "./push_endpoint.ts";
import {
  delete_subscription,
  get_channel,
  list_channels,
  list_subscriptions,
  put_subscription,
} from "./subscriptions.ts";

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
