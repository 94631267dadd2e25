// The ordered list of everything that the service can do for an owner; it doubles as the table of contents.

import type { Tool } from "../src/tool.ts";
import cancel_alert from "./cancel_alert.ts";
import create_alert from "./create_alert.ts";
import create_pusher from "./create_pusher.ts";
import delete_alert from "./delete_alert.ts";
import delete_pusher from "./delete_pusher.ts";
import get_alert from "./get_alert.ts";
import get_me from "./get_me.ts";
import get_pusher from "./get_pusher.ts";
import list_alerts from "./list_alerts.ts";
import list_pushers from "./list_pushers.ts";
import schedule_alert from "./schedule_alert.ts";
import send_alert from "./send_alert.ts";
import update_alert from "./update_alert.ts";
import update_pusher from "./update_pusher.ts";

export const TOOLS: readonly Tool[] = [
  get_me,
  list_pushers,
  create_pusher,
  get_pusher,
  update_pusher,
  delete_pusher,
  list_alerts,
  create_alert,
  get_alert,
  update_alert,
  send_alert,
  schedule_alert,
  cancel_alert,
  delete_alert,
];
