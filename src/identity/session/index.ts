// The list of what only a signed-in person can do: no key and no access token reaches any of it, over any transport.
// Each file exports the operations of one topic, each under its own name.

import type { SessionOperation } from "../../operation/define_operation.ts";
import * as alert_counts from "./alert_report_counts.ts";
import * as keys from "./api_keys.ts";
import * as connections from "./client_connections.ts";
import * as reviews from "./decline_and_review_aids.ts";
import * as members from "./members.ts";
import * as series from "./occurrences_generated_until.ts";
import * as sign_in from "./own_sign_in_methods.ts";
import * as subjects from "./subject_names.ts";
import * as own_devices from "./test_devices.ts";
import * as webhooks from "./update_webhook_and_get_delivery.ts";
import * as files from "./uploaded_files.ts";
import * as workspaces from "./workspaces.ts";

const TOPICS = [
  keys,
  members,
  connections,
  sign_in,
  workspaces,
  files,
  reviews,
  series,
  own_devices,
  alert_counts,
  subjects,
  webhooks,
];

export const SESSION_OPERATIONS: readonly SessionOperation[] = TOPICS.flatMap((topic) =>
  Object.values<object>(topic)
    .filter((exported): exported is SessionOperation => "handler" in exported)
    .sort((a, b) => (a.name < b.name ? -1 : 1)),
);
