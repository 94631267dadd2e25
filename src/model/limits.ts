// The table of all limits that users can reach (docs/reference/limits.md). Fields, statements, forms, texts and docs
// use it. test/repository/limit_numbers.test.ts finds copies elsewhere. Browsers load this file, so it has no imports
// of ours. Characters are Unicode code points.

export type LimitDefinition = readonly [value: number, unit: string, meaning: string];

const KIB = 1024;
const MIB = 1024 * KIB;

export const LIMIT_DEFINITIONS = {
  alert_title: [120, "characters", "alert title"],
  alert_body: [16_384, "characters", "alert text"],
  card_body: [
    4_000,
    "characters",
    "text shown on inbox cards, in lists and feeds, and in ntfy clients; `body_length` gives the full length",
  ],
  alert_tts_text: [1_000, "characters", "text that devices read aloud"],
  alert_html: [60_000, "characters", "markup in any layout except `document`"],
  alert_document: [500_000, "characters", "markup in the layout `document`"],
  alert_actions: [3, "buttons", "buttons per alert"],
  alert_repeats: [3, "repeats", "repeats of an urgent alert on a handset that has not acknowledged it"],
  alert_repeat_minutes: [20, "minutes", "interval between repeats of an urgent alert"],
  alert_action_label: [40, "characters", "button label, question or choice"],
  reply_choices: [4, "replies", "choices per question"],
  alert_geo_rule: [40, "characters", "`geo_rule`"],
  alert_collapse_key: [64, "characters", "`collapse_key`"],
  alert_review_note: [1_000, "characters", "note to the reviewer"],
  alert_review_reply: [1_000, "characters", "reason for declining an alert"],
  alert_blocked: [
    100,
    "rows",
    "entries in the sanitiser report for one alert text; further entries are counted but not listed",
  ],
  moves: [50, "alerts", "alerts that one call can move or cancel"],
  shift_minutes: [525_600, "minutes", "maximum shift of scheduled alerts in one call"],
  alert_changes: [20, "edits", "edits kept in the history of an alert"],
  alert_changes_days: [30, "days", "retention of an alert's edit history"],
  recurrence: [200, "characters", "alert's `recurrence`"],
  recurrence_minutes: [5, "minutes", "minimum time between two occurrences of a repeating alert"],
  recurrence_end: [1_000, "occurrences", "maximum `COUNT` of a recurrence"],
  occurrences_ahead: [12, "occurrences", "occurrences of a repeating alert that are created in advance"],
  occurrence_days: [366, "days", "period for which occurrences are created in advance"],
  repeating: [30, "alerts", "repeating alerts per channel"],
  brief_text: [280, "characters", "text in the brief view"],

  handle_least: [3, "characters", "minimum length of a handle"],
  handle: [30, "characters", "maximum length of a handle"],
  channel_name: [80, "characters", "channel name"],
  channel_description: [200, "characters", "channel description"],
  channel_long: [4_000, "characters", "long channel description"],
  channel_city: [80, "characters", "channel city"],
  channel_loc_rule: [40, "characters", "`loc_rule`"],
  channel_initials: [3, "characters", "channel initials"],
  channel_tags: [20, "tags", "tags per channel"],
  channel_tag: [40, "characters", "channel tag"],
  channel_alert_types: [20, "types", "alert types per channel"],
  channel_alert_type: [40, "characters", "alert type"],
  retention_least: [7, "days", "minimum retention of alerts after their end"],
  retention: [3_650, "days", "maximum retention of alerts after their end; retention can also be unlimited"],
  retention_notice_hours: [24, "hours", "time from setting a retention to the first deletion"],
  retention_counted: [2_000, "alerts", "affected alerts that are counted when a retention is set"],
  radius: [20_038, "kilometres", "radius of an area; equals half the Earth's circumference"],
  invite_label: [80, "characters", "invite label"],
  code: [200, "characters", "invite code or transfer code"],
  invite_uses: [1_000_000, "phones", "`max_uses` of an invite"],

  url: [2_048, "characters", "URL"],
  language_tag: [64, "characters", "language tag"],
  search: [100, "characters", "search query for channels or alerts"],
  search_words: [10, "terms", "terms in an alert query"],
  search_word: [40, "characters", "indexed part of a search term"],
  page: [100, "rows", "maximum page size of a list"],
  page_usual: [50, "rows", "default page size of a list"],
  list_total: [
    1_000,
    "alerts",
    "alerts counted for the total of a list; if there are more alerts, the total is a minimum",
  ],
  list_reports: [1_000, "alerts", "newest sent alerts that a list sorted by reports covers"],
  body: [64 * KIB, "bytes", "request body, unless another limit applies"],
  body_alerts: [4 * MIB, "bytes", "body of a request that writes alerts, or of a request to `/mcp`"],
  body_handset: [16 * KIB, "bytes", "request body on most handset routes"],
  json_values: [2_000, "values", "values in one JSON body; a full batch of reports has 401 values"],
  idempotency_key: [255, "characters", "idempotency key"],
  confirmed_devices: [50, "devices", "maximum reach of an alert that a person can send without a confirmation page"],
  equal_send_minutes: [10, "minutes", "period during which sending an identical alert requires confirmation"],
  repeat_seconds: [60, "seconds", "period during which a repeated send without an idempotency key is detected"],
  saved_drafts: [100, "drafts", "newest drafts of a channel that are compared with a repeated sender message"],
  idempotency_hours: [24, "hours", "lifetime of an idempotency key"],
  mcp_answer: [25_000, "bytes", "MCP response"],
  breakdown: [20, "values", "values in each part of the subscriber breakdown; all other values count as `other`"],
  stats_days: [366, "days", "time range for statistics"],
  stats_sample: [
    10_000,
    "reports",
    "reports in the timeline of an alert; if there are more reports, the timeline is a sample",
  ],

  window_seconds: [60, "seconds", "window of a rate limit"],
  creations: [10, "calls", "channel creations per creator and time window"],
  sends: [30, "calls", "published alerts per channel and time window"],
  manual_deliveries: [30, "calls", "manual webhook deliveries per member and time window"],
  takeovers: [20, "calls", "code attempts per address and time window"],
  registrations: [60, "calls", "device registrations per address and time window; a setting can change this limit"],
  joins_channel: [6, "calls", "subscriptions and unsubscriptions per device, channel and time window"],
  joins_device: [120, "calls", "subscriptions and unsubscriptions per device and time window"],
  joins_address: [
    600,
    "calls",
    "subscriptions and unsubscriptions per address and time window: ten times `registrations`",
  ],

  ingest_alerts: [20, "alerts", "alerts that one request in another program's format can publish"],
  ingest_values: [
    20_000,
    "values",
    "JSON values in one sender request, not counting list entries beyond `ingest_list`",
  ],
  ingest_list: [MIB, "bytes", "size of a list in a request from a sender; further entries are counted but not read"],
  ingest_depth: [30, "levels", "levels of nesting in the JSON of a request from a sender"],
  shape_lines: [
    20,
    "lines",
    "lines shown for a group of alerts from another program, or for a list in a template; others are only counted",
  ],
  markdown: [4_000, "characters", "Markdown that is converted to HTML; longer text is published as plain text"],
  shape_line: [500, "characters", "length of Grafana's value text that is read"],
  template: [1_000, "characters", "template for another program's messages"],
  sender_requests: [10, "requests", "most recent requests of a key whose results are kept"],
  ended_key_days: [7, "days", "period for which a refused sender request with an expired or revoked key is shown"],

  ready_seconds: [5, "seconds", "timeout of the readiness check"],

  webhooks: [20, "endpoints", "endpoints per workspace"],
  webhook_failures: [20, "failures", "consecutive failures that disable an endpoint"],
  acks_told_seconds: [60, "seconds", "period for which acknowledgements of an alert are combined into one event"],
  idle_search_seconds: [5, "seconds", "longest time that an idle service waits between two searches for due jobs"],
  webhook_subscriber_failure_seconds: [60, "seconds", "period for which failed subscriber events count as one failure"],
  webhook_seconds: [5, "seconds", "timeout of a delivery, from the DNS lookup to the end of the response"],
  webhook_answer: [64 * KIB, "bytes", "amount of a receiver's response that is read"],
  webhook_overlap_hours: [24, "hours", "period during which deliveries are also signed with the previous secret"],
  webhook_clock_seconds: [300, "seconds", "maximum difference between a receiver's clock and a signature's timestamp"],
  deliveries: [200, "deliveries", "deliveries in the log of an endpoint; subscriber events have a separate log"],
  deliveries_days: [7, "days", "retention of the log of an endpoint"],
  waiting_deliveries: [10_000, "deliveries", "queued deliveries of all endpoints"],
  events_days: [7, "days", "retention of the event feed"],

  name: [80, "characters", "name of a person, workspace, key or passkey"],
  email: [254, "characters", "e-mail address"],
  password_least: [10, "characters", "minimum length of a password"],
  password: [128, "characters", "maximum length of a password"],
  sign_ins: [20, "calls", "wrong passwords per address and time window"],
  wrong_passwords: [8, "attempts", "wrong passwords for one account from one address or browser"],
  wrong_passwords_minutes: [5, "minutes", "window in which wrong passwords are counted"],
  failed_runs_minutes: [15, "minutes", "period for which failed sign-in attempts are combined into one audit entry"],
  passkey_minutes: [5, "minutes", "lifetime of a passkey challenge"],
  link_explained_days: [30, "days", "period for which an expired link explains why it no longer works"],
  link_days: [7, "days", "lifetime of a link created by a manager or the operator"],
  fresh_sign_in_minutes: [
    10,
    "minutes",
    "period after signing in during which an account without a password can be changed",
  ],
  recovery_codes: [10, "codes", "recovery codes per person"],
  own_workspaces: [10, "workspaces", "workspaces per owner"],
  client_name: [120, "characters", "assistant name"],
  client_redirects: [10, "addresses", "redirect URIs per assistant"],
  client_document: [16 * KIB, "bytes", "assistant's client metadata document"],
  refresh_reuse_seconds: [60, "seconds", "period during which a refresh token is accepted after its first use"],
  client_document_minutes: [15, "minutes", "cache lifetime of a client metadata document"],

  image_file: [5_000_000, "bytes", "uploaded picture"],
  audio_file: [2_000_000, "bytes", "uploaded sound"],
  html_file: [500_000, "bytes", "uploaded page"],
  waiting_files: [50, "files", "unused files per member"],
  waiting_files_hours: [24, "hours", "retention of an unused file"],

  app_version: [40, "characters", "handset app version"],
  channels_of_device: [1_000, "channels", "channels per device"],
  import: [150, "subscriptions", "subscriptions per import"],
  import_channels: [1_000, "topics", "topics or applications that `belfry import-from` imports"],
  import_messages: [1_000, "messages", "newest messages imported from each of them"],
  export_line: [16 * MIB, "bytes", "line in a file for `belfry import`"],
  import_clock_minutes: [
    5,
    "minutes",
    "how far in the future an imported event can be, to allow for clock differences",
  ],
  move_minutes: [15, "minutes", "lifetime of a transfer code"],
  own_devices: [5, "handsets", "test devices per person"],
  own_device_minutes: [15, "minutes", "lifetime of a link for a test device"],
  tests: [20, "tests", "tests of drafts per person and hour"],
  test_minutes: [55, "minutes", "display time of a test alert"],
  before_joining: [
    20,
    "alerts",
    "alerts per channel that a device receives even though they were sent before it joined",
  ],
  reports: [100, "reports", "reports per batch"],
  inbox: [MIB, "bytes", "inbox page"],
  held_seconds: [55, "seconds", "maximum duration of a long poll; proxies time out after 60 seconds"],
  held_polls: [4, "polls", "long polls per device; several pages can share one device token"],
  review_held_seconds: [
    50,
    "seconds",
    "maximum duration of a call that waits for a review or replies; clients time out after 60 seconds",
  ],
  review_asked_minutes: [
    60,
    "minutes",
    "period during which a call can be repeated after a person was asked to approve it",
  ],
  review_notices: [10, "alerts", "notifications about drafts awaiting review per workspace and time window"],
  review_waits: [4, "calls", "simultaneous calls per credential that wait for reviews and replies"],
  stream_waiting: [64 * KIB, "bytes", "unread data in a stream; the stream ends above this limit"],
  stream_beat_seconds: [20, "seconds", "heartbeat interval of a stream"],
  ntfy_topics: [100, "channels", "channels per connection of an ntfy client"],
  ntfy_messages: [200, "messages", "newest messages that `since=` returns"],
  ntfy_bytes: [256 * KIB, "bytes", "total size of the messages that `since=` returns"],
  ntfy_page: [
    16 * KIB,
    "bytes",
    "memory for the messages that `since=` returns, per connection; a single message can be larger",
  ],
  ntfy_pages: [16 * MIB, "bytes", "memory for the messages that `since=` returns, per process"],
  push_seconds: [5, "seconds", "timeout of a push notification"],
  waiting_wake_ups: [10_000, "notifications", "queued push notifications"],
  wakes_looked_at: [
    10_000,
    "subscriptions",
    "sampled subscriptions of a channel when subscribers with push notifications are counted",
  ],
  push_failures: [20, "failures", "consecutive failures after which a push endpoint is removed"],
  push_failing_days: [3, "days", "minimum time over which these failures occur"],

  channel_page: [10, "alerts", "alerts on a channel page"],
  page_text_links: [20, "links", "links in one text of a public page; further addresses stay plain text"],
  page_news_seconds: [12, "seconds", "polling interval of an open channel page"],
  public_seconds: [12, "seconds", "maximum age of a cached public page, even for a suspended channel"],
  feed: [25, "alerts", "alerts per feed"],
  feed_markup: [32 * KIB, "bytes", "markup per alert in a feed"],
  feed_bytes: [MIB, "bytes", "feed size"],
  near: [1_000, "channels", "channels with an area that are checked for nearby channels"],
  docs_results: [30, "sections", "docs search results"],

  app_alerts: [500, "alerts", "alerts that the web app keeps"],
  app_characters: [12_000_000, "characters", "total text of the alerts that the web app keeps"],
  app_reports_days: [30, "days", "retention of report times from the web app"],
  recording_seconds: [20, "seconds", "maximum playback time of a recording"],
  spotlight_hours: [24, "hours", "period during which an alert without an expiry is shown under Now"],
  spotlight_waits_days: [7, "days", "period during which an alert awaiting acknowledgement is shown under Now"],
  position_minutes: [30, "minutes", "maximum age of a device's location"],
} as const satisfies Record<string, LimitDefinition>;

export type LimitName = keyof typeof LIMIT_DEFINITIONS;

/** The numbers alone. */
export const LIMITS = Object.fromEntries(
  Object.entries(LIMIT_DEFINITIONS).map(([name, [value]]) => [name, value]),
) as Readonly<Record<LimitName, number>>;

const SIZES = [
  [MIB, "MiB"],
  [KIB, "KiB"],
  [1_000_000, "MB"],
  [1_000, "kB"],
] as const;

/** Formats a limit for a sentence: `4,000`, or with a unit `64 KiB`, `5 MB`. */
export function formatLimit(name: LimitName): string {
  const [value, unit] = LIMIT_DEFINITIONS[name];
  const size = unit === "bytes" && SIZES.find(([one]) => value % one === 0);
  // Without Intl, which takes 30 ms of each start to load.
  return size ? `${value / size[0]} ${size[1]}` : String(value).replace(/\B(?=(\d{3})+$)/g, ",");
}

const WORDS = "zero one two three four five six seven eight nine ten".split(" ");

/** Spells a small limit (`five`), and formats a larger one. */
export const spellLimit = (name: LimitName): string => WORDS[LIMITS[name]] ?? formatLimit(name);
