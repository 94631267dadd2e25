// Every setting of the service: name, default, meaning and how each is read, by topic. The README's table is made of it.

import { LIMITS, type LimitSettings } from "./limits.ts";
import { NEIGHBOURS, type NeighbourSettings } from "./neighbours.ts";
import { NETWORK, type NetworkSettings } from "./network.ts";
import { PUSH, type PushSettings } from "./push.ts";
import type { Setting } from "./setting.ts";
import { STORAGE, type StorageSettings } from "./storage.ts";

export interface Config
  extends NetworkSettings,
    StorageSettings,
    NeighbourSettings,
    PushSettings,
    LimitSettings {}

export const SETTINGS: { [Key in keyof Config]: Setting<Config[Key], Config> } = {
  ...NETWORK,
  ...STORAGE,
  ...NEIGHBOURS,
  ...PUSH,
  ...LIMITS,
};
