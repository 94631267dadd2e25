// How many devices an alert could reach, and how many of them are woken while their app is closed.

import { get_wake_ups } from "../../identity/session/own_devices.ts";
import { LIMITS, said } from "../../model/limits.ts";
import { devices } from "./phone.ts";
import type { Channel, MemberVisit } from "./visit.ts";

/** "It could reach 5 devices, of which 3 are woken when their app is closed." */
export async function couldReach(visit: MemberVisit, { id, subscribers }: Channel): Promise<string> {
  const { enabled, looked_at, woken } = await visit.asMember(get_wake_ups, { pusher_id: id });
  const reach = `It could reach ${devices(subscribers)}`;
  if (subscribers === 0) return `${reach}.`;
  if (!enabled)
    return `${reach}, none of them while its app is closed: this server wakes nobody. Whoever runs it can set WEB_PUSH.`;
  const of =
    looked_at < LIMITS.wakes_looked_at ? "of which" : `and of the ${said("wakes_looked_at")} looked at`;
  return `${reach}, ${of} ${woken.toLocaleString("en")} ${woken === 1 ? "is" : "are"} woken when the app is closed.`;
}
