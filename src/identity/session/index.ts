// The list of what only a signed-in person can do: no key and no access token reaches any of it, over any transport. Each file
// exports the operations of one topic, each under its own name.

import type { SessionOperation } from "../../operation/tool.ts";
import * as connections from "./connections.ts";
import * as files from "./files.ts";
import * as keys from "./keys.ts";
import * as members from "./members.ts";
import * as own_devices from "./own_devices.ts";
import * as reviews from "./reviews.ts";
import * as series from "./series.ts";
import * as sign_in from "./sign_in.ts";
import * as workspaces from "./workspaces.ts";

const TOPICS = [keys, members, connections, sign_in, workspaces, files, reviews, series, own_devices];

export const SESSION_OPERATIONS: readonly SessionOperation[] = TOPICS.flatMap((topic) =>
  Object.values<object>(topic)
    .filter((exported): exported is SessionOperation => "handler" in exported)
    .sort((a, b) => (a.name < b.name ? -1 : 1)),
);
