// The number of every rule that a user can meet (docs/reference/limits.md), once. Fields, statements, forms, texts
// and the spans of the docs read it here. test/repository/limit_numbers.test.ts finds one that is written elsewhere.
// Browsers run it as well, so it imports nothing of ours. Characters are Unicode code points.

export type LimitDefinition = readonly [value: number, unit: string, meaning: string];

const KIB = 1024;
const MIB = 1024 * KIB;

export const LIMIT_TABLE = {
  alert_title: [120, "characters", "the title of an alert"],
  alert_body: [16_384, "characters", "the text of an alert"],
  card_body: [
    4_000,
    "characters",
    "of this text on a card of the inbox, in a list, in a feed and for ntfy's programs; `body_length` says that there is more",
  ],
  alert_tts_text: [1_000, "characters", "what phones read aloud"],
  alert_html: [60_000, "characters", "markup in every layout but `document`"],
  alert_document: [500_000, "characters", "markup in the layout `document`"],
  alert_actions: [3, "buttons", "an alert"],
  alert_repeats: [3, "repeats", "of an urgent alert on a handset that has not acknowledged it"],
  alert_repeat_minutes: [20, "minutes", "between two of these"],
  alert_action_label: [40, "characters", "the label of a button, a question or a choice"],
  reply_choices: [4, "replies", "that a question offers"],
  alert_geo_rule: [40, "characters", "`geo_rule`"],
  alert_collapse_key: [64, "characters", "`collapse_key`"],
  alert_review_note: [1_000, "characters", "the note to the reviewer"],
  alert_review_reply: [1_000, "characters", "why a person declined an alert"],
  alert_blocked: [100, "rows", "the report of what one text of an alert lost; more only fill it"],
  moves: [50, "alerts", "cancelled or moved by one call"],
  shift_minutes: [525_600, "minutes", "by which scheduled alerts are moved at once"],
  alert_changes: [20, "edits", "the history of an alert"],
  alert_changes_days: [30, "days", "what an edit replaced is kept"],
  recurrence: [200, "characters", "`recurrence` of an alert"],
  recurrence_minutes: [5, "minutes", "between two occurrences of a repeating alert"],
  recurrence_end: [1_000, "occurrences", "`COUNT` of a recurrence"],
  occurrences_ahead: [12, "occurrences", "of a repeating alert that are written down ahead"],
  occurrence_days: [366, "days", "ahead for which occurrences are written down"],
  repeating: [30, "alerts", "that repeat in a channel"],
  brief_text: [280, "characters", "a text in a brief answer"],

  handle_least: [3, "characters", "the shortest handle of a channel"],
  handle: [30, "characters", "the handle of a channel"],
  channel_name: [80, "characters", "the name of a channel"],
  channel_description: [200, "characters", "the description of a channel"],
  channel_long: [4_000, "characters", "the longer text about a channel"],
  channel_city: [80, "characters", "the city of a channel"],
  channel_loc_rule: [40, "characters", "`loc_rule`"],
  channel_initials: [3, "characters", "the initials of a channel"],
  channel_tags: [20, "tags", "a channel"],
  channel_tag: [40, "characters", "a tag"],
  channel_alert_types: [20, "types", "the alert types of a channel"],
  channel_alert_type: [40, "characters", "an alert type"],
  retention_least: [7, "days", "the shortest time that a channel keeps alerts after their end"],
  retention: [3_650, "days", "the longest; there is for ever as well"],
  retention_notice_hours: [24, "hours", "from setting how long alerts are kept to the first removal by it"],
  retention_counted: [2_000, "alerts", "counted of those that would go"],
  radius: [20_038, "kilometres", "the radius of a circle: half of the Earth's circumference"],
  invite_label: [80, "characters", "the label of an invite"],
  code: [200, "characters", "the code of an invite or of a move as it is sent"],
  invite_uses: [1_000_000, "phones", "`max_uses` of an invite"],

  url: [2_048, "characters", "an address that people, phones or the service open"],
  language_tag: [64, "characters", "a language tag"],
  search: [100, "characters", "what the directory or alerts are searched for"],
  search_words: [10, "words", "what alerts are searched for"],
  search_word: [40, "characters", "of a word by which an alert is found"],
  page: [100, "rows", "a page of a list"],
  page_usual: [50, "rows", "a page of a list when `limit` is absent"],
  body: [64 * KIB, "bytes", "the body of a request where nothing else is said"],
  body_alerts: [4 * MIB, "bytes", "the body of a request that writes alerts, and of one to `/mcp`"],
  body_handset: [16 * KIB, "bytes", "the body of a request on most handset routes"],
  json_values: [2_000, "values", "the JSON of one body; a full batch of reports has 401"],
  idempotency_key: [255, "characters", "an idempotency key"],
  equal_send_minutes: [10, "minutes", "in which an equal alert is sent a second time only when its person says so"],
  repeat_seconds: [60, "seconds", "in which a call that repeats a send without an idempotency key is recognised"],
  saved_drafts: [100, "drafts", "of a channel, the newest, are compared with a message of a program that comes again"],
  idempotency_hours: [24, "hours", "a call can be repeated under its idempotency key"],
  mcp_answer: [25_000, "bytes", "an answer over MCP"],
  breakdown: [20, "words", "each part of the breakdown of subscribers; all others count as `other`"],
  stats_days: [366, "days", "the range of statistics"],
  stats_sample: [10_000, "reports", "the timeline of an alert that is no sample"],

  window_seconds: [60, "seconds", "the window of a ceiling"],
  creations: [10, "calls", "channels that a creator opens in a window"],
  sends: [30, "calls", "alerts that a channel publishes in a window"],
  manual_deliveries: [30, "calls", "deliveries that a member asks for by hand in a window"],
  takeovers: [20, "calls", "codes that an address tries in a window"],
  registrations: [60, "calls", "handsets that an address registers in a window, unless a setting says otherwise"],
  joins_channel: [6, "calls", "with which a device joins and leaves one channel in a window"],
  joins_device: [120, "calls", "with which a device joins and leaves in a window"],
  joins_address: [600, "calls", "with which an address joins and leaves in a window: ten times `registrations`"],

  ingest_alerts: [20, "alerts", "published by one request in another program's words"],
  ingest_values: [20_000, "values", "the JSON of such a request, without the entries of a list that are only counted"],
  ingest_list: [MIB, "bytes", "of a list in such a request that are read; its other entries are counted"],
  ingest_depth: [30, "levels", "JSON inside JSON in such a request"],
  shape_lines: [
    20,
    "lines",
    "a group of alerts of another program; the others are counted. Also of a list in a template",
  ],
  markdown: [4_000, "characters", "Markdown that becomes markup; a longer text is published as it was written"],
  shape_line: [500, "characters", "such a line"],
  template: [1_000, "characters", "a template for what a program sends"],
  sender_requests: [10, "requests", "of a key in another program's words, what became of which is kept"],

  ready_seconds: [5, "seconds", "a look at whether the service is ready"],

  webhooks: [20, "endpoints", "a workspace"],
  webhook_failures: [20, "failures", "in a row that disable an endpoint"],
  acks_told_seconds: [60, "seconds", "for which the acknowledgements of an alert are told together"],
  webhook_subscriber_failure_seconds: [60, "seconds", "for which one failed event of subscribers counts as a failure"],
  webhook_seconds: [5, "seconds", "a delivery, from the look-up of the name to the end of the answer"],
  webhook_answer: [64 * KIB, "bytes", "what is read of a receiver's answer"],
  webhook_overlap_hours: [24, "hours", "the secret before signs beside a new one"],
  webhook_clock_seconds: [300, "seconds", "the clock of a receiver and a signature differ"],
  deliveries: [200, "deliveries", "the log of an endpoint; those of subscribers apart from all others"],
  deliveries_days: [7, "days", "the log of an endpoint"],
  waiting_deliveries: [10_000, "deliveries", "that wait at once, of all endpoints"],
  events_days: [7, "days", "the feed of events"],

  name: [80, "characters", "the name of a person, a workspace, a key or a passkey"],
  email: [254, "characters", "an e-mail address"],
  password_least: [10, "characters", "the shortest password"],
  password: [128, "characters", "a password"],
  sign_ins: [20, "calls", "wrong passwords from one address in a window"],
  wrong_passwords: [8, "attempts", "wrong passwords for one account, from one address or browser"],
  wrong_passwords_minutes: [5, "minutes", "in which these are counted"],
  failed_runs_minutes: [15, "minutes", "in which failed runs of a way into an account are counted for the audit log"],
  passkey_minutes: [5, "minutes", "the question to a new passkey is good for"],
  link_explained_days: [30, "days", "what became of a link that is over is told"],
  link_days: [7, "days", "a link that a manager or the operator hands out works"],
  recovery_codes: [10, "codes", "a person"],
  own_workspaces: [10, "workspaces", "owned by one person"],
  client_name: [120, "characters", "the name of an assistant"],
  client_redirects: [10, "addresses", "redirect addresses of an assistant"],
  client_document: [16 * KIB, "bytes", "the document that describes an assistant"],
  refresh_reuse_seconds: [60, "seconds", "a used refresh token still answers, counted from its first use"],
  client_document_minutes: [15, "minutes", "such a document is not looked at again"],

  image_file: [5_000_000, "bytes", "an uploaded picture"],
  audio_file: [2_000_000, "bytes", "an uploaded sound"],
  html_file: [500_000, "bytes", "an uploaded page"],
  waiting_files: [50, "files", "of a member that no alert has taken yet"],
  waiting_files_hours: [24, "hours", "a file that nothing uses is kept"],

  app_version: [40, "characters", "the version of a handset's app"],
  channels_of_device: [1_000, "channels", "joined by one device"],
  import: [150, "subscriptions", "one import"],
  import_channels: [1_000, "topics", "or applications that `belfry import-from` makes channels of"],
  import_messages: [1_000, "messages", "of each that it takes over, the newest"],
  export_line: [16 * MIB, "bytes", "a line of what `belfry import` reads"],
  import_clock_minutes: [
    5,
    "minutes",
    "that an event in a file of `belfry import` may be later than the import, since clocks differ",
  ],
  move_minutes: [15, "minutes", "a code that moves subscriptions works"],
  own_devices: [5, "handsets", "that a person has linked to the own account"],
  own_device_minutes: [15, "minutes", "a link by which a handset becomes somebody's own works"],
  tests: [20, "tests", "of drafts that a person sends in an hour"],
  test_minutes: [55, "minutes", "a test of a draft is shown"],
  before_joining: [20, "alerts", "of each channel that a device is shown of those sent before it joined"],
  reports: [100, "reports", "one batch"],
  inbox: [MIB, "bytes", "a page of the inbox"],
  held_seconds: [55, "seconds", "a held poll, since proxies give up at 60"],
  held_polls: [4, "polls", "held for one device, whose token a few pages may share"],
  review_held_seconds: [50, "seconds", "a call that waits for a review or for replies, since clients give up at 60"],
  review_asked_minutes: [60, "minutes", "within which a call comes again after its person was asked"],
  review_notices: [10, "alerts", "that tell of drafts which wait, of one workspace in a window"],
  review_waits: [4, "calls", "that wait for reviews and replies at once, of one credential"],
  stream_waiting: [64 * KIB, "bytes", "that the reader of a stream may leave untaken; then it ends"],
  stream_beat_seconds: [20, "seconds", "between two signs of life of a stream"],
  ntfy_topics: [100, "channels", "one program of ntfy listens to at once"],
  ntfy_messages: [200, "messages", "that `since=` answers, the newest"],
  ntfy_bytes: [256 * KIB, "bytes", "these messages together"],
  ntfy_page: [16 * KIB, "bytes", "of these messages that are in memory for one connection, unless one is larger"],
  ntfy_pages: [16 * MIB, "bytes", "of these messages that wait for the readers of all connections of a process"],
  push_seconds: [5, "seconds", "a wake-up"],
  waiting_wake_ups: [10_000, "wake-ups", "that wait at once"],
  wakes_looked_at: [
    10_000,
    "subscriptions",
    "of a channel that are looked at to say how many of its subscribers are woken",
  ],
  push_failures: [20, "failures", "in a row that forget an endpoint of a handset"],
  push_failing_days: [3, "days", "that these failures last"],

  channel_page: [10, "alerts", "the page of a channel"],
  page_news_seconds: [12, "seconds", "between two looks of an open channel's page for news"],
  public_seconds: [12, "seconds", "until no cache shows a public channel as it was, a suspended one either"],
  feed: [25, "alerts", "a feed"],
  feed_markup: [32 * KIB, "bytes", "the markup of an alert in a feed"],
  feed_bytes: [MIB, "bytes", "a feed"],
  near: [1_000, "channels", "with a circle, looked at for what is near"],
  docs_results: [30, "sections", "that a search of the docs lists"],

  app_alerts: [500, "alerts", "kept by the web app"],
  app_characters: [12_000_000, "characters", "all alerts that the web app keeps"],
  app_reports_days: [30, "days", "the service knows when the web app reported"],
  recording_seconds: [20, "seconds", "the part of a recording that is played"],
  spotlight_hours: [24, "hours", "an alert without an end stands in the spotlight"],
  spotlight_waits_days: [7, "days", "one that waits to be acknowledged stands there"],
  position_minutes: [30, "minutes", "a position is good for"],
} as const satisfies Record<string, LimitDefinition>;

export type LimitName = keyof typeof LIMIT_TABLE;

/** The numbers alone. */
export const LIMITS = Object.fromEntries(
  Object.entries(LIMIT_TABLE).map(([name, [value]]) => [name, value]),
) as Readonly<Record<LimitName, number>>;

const SIZES = [
  [MIB, "MiB"],
  [KIB, "KiB"],
  [1_000_000, "MB"],
  [1_000, "kB"],
] as const;

/** As a sentence says it: `4,000`, and with their unit `64 KiB`, `5 MB`. */
export function formatLimit(name: LimitName): string {
  const [value, unit] = LIMIT_TABLE[name];
  const size = unit === "bytes" && SIZES.find(([one]) => value % one === 0);
  return size ? `${value / size[0]} ${size[1]}` : value.toLocaleString("en");
}

const WORDS = "zero one two three four five six seven eight nine ten".split(" ");

/** `five`: a small number in words, a larger one as `formatLimit`. */
export const spellLimit = (name: LimitName): string => WORDS[LIMITS[name]] ?? formatLimit(name);
