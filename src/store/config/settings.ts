// Every setting of the service: name, default, meaning and how each is read, by topic. The table of docs/reference/settings.md is made of it.

import { BACKUP } from "./backup.ts";
import { BOUNDS } from "./limits.ts";
import { NEIGHBOURS } from "./neighbours.ts";
import { NETWORK } from "./network.ts";
import { PUSH } from "./push.ts";
import { STORAGE } from "./storage.ts";
import { TRACES } from "./traces.ts";

export const SETTINGS = { ...NETWORK, ...STORAGE, ...NEIGHBOURS, ...BACKUP, ...PUSH, ...BOUNDS, ...TRACES };

/** What they hold, by key. */
export type Config = {
  [Key in keyof typeof SETTINGS]: ReturnType<(typeof SETTINGS)[Key]["read"]>;
};
