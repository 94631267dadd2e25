// The nine error types with their HTTP statuses, and the catalogue of error codes: for each code its type, its cause
// and its cure. The page docs/reference/errors.md is generated from it.

/** `error.type` → HTTP status (docs/reference/rules/requests.md). */
export const ERROR_TYPE_STATUSES = {
  invalid_request: 422,
  unauthorized: 401,
  payment_required: 402,
  insufficient_scope: 403,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  rate_limited: 429,
  server_error: 500,
} as const;

export type ErrorType = keyof typeof ERROR_TYPE_STATUSES;

/** One entry of the catalogue. `cause` and `cure` are sentences of the reference page. */
interface ErrorKind {
  type: ErrorType;
  cause: string;
  cure: string;
}

const invalid = (cause: string, cure: string) => ({ type: "invalid_request", cause, cure }) as const;
const denied = (cause: string, cure: string) => ({ type: "forbidden", cause, cure }) as const;
const refused = (cause: string, cure: string) => ({ type: "conflict", cause, cure }) as const;
const failed = (cause: string, cure: string) => ({ type: "server_error", cause, cure }) as const;
const limited = (cause: string, cure: string) => ({ type: "rate_limited", cause, cure }) as const;
const unproved = (cause: string, cure: string) => ({ type: "unauthorized", cause, cure }) as const;

const CHECK_ID = "Check the id. List the resources to see which ids your credential can access.";
const missing = (what: string, cure = CHECK_ID) =>
  ({
    type: "not_found",
    cause: `The ${what} does not exist, or your credential cannot access it. The response is the same in both cases.`,
    cure,
  }) as const;

/** A code never changes its meaning and is never removed within a major version (rules#error-codes). */
export const ERROR_CODES = {
  // Fields.
  field_required: invalid("A required field is missing.", "Send the field that `param` names."),
  unknown_field: invalid(
    "The request contains a field that the operation does not accept.",
    "Remove the field or correct its name. The message lists the accepted fields.",
  ),
  wrong_type: invalid("A field has the wrong JSON type.", "Send a value of the type given in the message."),
  invalid_choice: invalid(
    "The value of a field is not in the list of allowed values.",
    "Send one of the values in the message.",
  ),
  invalid_format: invalid("A value is not in the required format.", "Use the format described in the message."),
  invalid_value: invalid("A value is not accepted here.", "Correct the value as the error message describes."),
  too_long: invalid(
    "A text value is longer than its limit.",
    "Shorten the text. The limit counts Unicode code points.",
  ),
  empty_text: invalid(
    "A text value has no visible characters.",
    "Enter text. If the field is optional, you can omit it.",
  ),
  invalid_characters: invalid(
    "A text value contains control characters, invisible characters or invalid Unicode.",
    "Remove these characters.",
  ),
  out_of_range: invalid("A number is outside its range.", "Send a number in the range given in the message."),
  wrong_item_count: invalid(
    "A list has too few or too many items.",
    "Send the number of items that the message allows.",
  ),
  invalid_url: invalid("A URL is not an absolute https URL.", "Send an https URL without credentials."),
  url_not_allowed: invalid(
    "The host of a webhook or push endpoint is not on the public internet.",
    "Use a public host, or ask the operator to allow this one (`WEBHOOK_ALLOW_HOSTS`).",
  ),
  invalid_timestamp: invalid(
    "A value is not a timestamp.",
    "Send an RFC 3339 timestamp with `Z` or an offset, or a local time with an IANA time zone.",
  ),
  ambiguous_time: invalid(
    "A local time is skipped or occurs twice because of a clock change.",
    "Send the time with an offset instead of a time zone.",
  ),
  invalid_time_zone: invalid("A time zone is unknown.", "Send an IANA name, such as Europe/Lisbon."),
  invalid_time_range: invalid("The start, end or length of a time range is not valid.", "Correct the range."),
  invalid_cursor: invalid("`before` or `after` does not belong to this list.", "Start again at the first page."),
  mutually_exclusive_fields: invalid("Two fields cannot be combined.", "Send only one of them."),
  fields_required_together: invalid(
    "Some of the fields that belong together are missing.",
    "Send all of them, or none.",
  ),
  misplaced_field: invalid(
    "A field is in the wrong part of the request, or belongs to a different operation.",
    "Move or remove it, as described in the message.",
  ),
  immutable_field: invalid("The field cannot be changed.", "Omit it."),

  // Alerts and channels.
  time_in_past: invalid("A time is in the past.", "Send a time in the future, or omit the field."),
  alert_expired: invalid("The alert has expired.", "Change or clear `expires_at`, then send the alert."),
  invalid_recurrence: invalid(
    "`recurrence` is not a valid RFC 5545 rule with a time zone.",
    "Correct the part named in the message.",
  ),
  recurrence_not_allowed: invalid(
    "This change to a recurrence is not allowed.",
    "Read the error message. Schedule a draft, or cancel the series.",
  ),
  handle_reserved: invalid("The handle is reserved.", "Choose another handle."),
  idempotency_key_reused: invalid(
    "The idempotency key was already used with different arguments.",
    "Use a new key for a new request. To repeat a request, send the same arguments.",
  ),

  // Files.
  asset_not_found: invalid("The uploaded file does not exist.", "Upload the file in the console, then use its id."),
  file_too_large: invalid("The file or picture is too large.", "Make it smaller. The message names the limit."),
  unsupported_file_type: invalid("The file type is not supported.", "Convert the file to a supported type."),
  unreadable_file: invalid("The file is empty, incomplete or damaged.", "Export the file again and upload it."),

  // Requests.
  malformed_body: invalid("The body is not valid JSON, form data or text.", "Send a well-formed body."),
  unsupported_content_type: invalid("The content type is not accepted.", "Send `Content-Type: application/json`."),
  body_too_large: invalid(
    "The body has too many bytes, values or levels of nesting.",
    "Send less data in each request.",
  ),
  malformed_request: invalid("The HTTP request is malformed.", "Send a valid HTTP/1.1 request."),
  unrecognized_format: invalid("No sender format matches the body.", "Specify the program with `?from=`."),

  // Credentials and rights.
  invalid_credential: unproved(
    "The credential is missing, wrong, revoked or expired. The response is the same in all cases.",
    "Send `Authorization: Bearer` with a valid credential.",
  ),
  sign_in_required: unproved("There is no session, or it has ended.", "Sign in again."),
  sign_in_failed: unproved(
    "The password, code, passkey or response from the provider is wrong or has expired.",
    "Try again.",
  ),
  payment_required: { type: "payment_required", cause: "Reserved. The service never sends this code.", cure: "None." },
  missing_scope: {
    type: "insufficient_scope",
    cause: "The credential lacks a scope that the call requires.",
    cure: "Use a credential with the scopes in `WWW-Authenticate`, or ask a person to do it in the console.",
  },
  approval_required: {
    type: "insufficient_scope",
    cause: "The credential needs human approval for this call.",
    cure: "Ask a person to open the page given in the message and make the decision.",
  },
  role_too_low: denied("The member's role does not allow this call.", "Ask an owner of the workspace."),
  channel_restricted: denied(
    "The credential or member is restricted to certain channels.",
    "Use an unrestricted credential.",
  ),
  channel_suspended: denied("The channel is suspended.", "Ask the service operator."),
  session_required: denied(
    "Only a person who is signed in to the console can make this call.",
    "Do this in the console.",
  ),
  not_permitted: denied(
    "The caller is not allowed to change this account, member or database.",
    "Check the message for the roles that can do this.",
  ),
  origin_not_allowed: denied(
    "The request's Host header, Origin header or address is not allowed.",
    "Use the address in `PUBLIC_URL`.",
  ),

  // Resources that do not exist.
  route_not_found: {
    type: "not_found",
    cause: "The path does not exist.",
    cure: "Compare the path with the OpenAPI document.",
  },
  method_not_allowed: {
    type: "not_found",
    cause: "The path exists, but does not accept this method.",
    cure: "Use a method from the `Allow` header.",
  },
  resource_not_found: missing("console page or resource", "Check the address, or reload the list."),
  channel_not_found: missing("channel"),
  alert_not_found: missing("alert"),
  invite_not_found: missing("invite"),
  webhook_not_found: missing("webhook"),
  delivery_not_found: missing("delivery"),
  file_not_found: missing("file"),
  plan_not_found: missing(
    "plan",
    "Run move_alerts with `dry_run` again. A plan works only with the credential that created it.",
  ),
  key_not_found: missing("API key"),
  member_not_found: missing("member"),
  workspace_not_found: missing("workspace"),
  code_not_found: missing("linking or transfer code", "Create a new code. A code works once and expires."),

  // States.
  version_conflict: refused("The resource changed after you read it.", "Read it again, then repeat the change."),
  alert_not_sent: refused("A draft cannot be cancelled.", "Delete the draft."),
  alert_already_sent: refused("A sent alert cannot be changed, scheduled or deleted.", "Cancel or duplicate it."),
  alert_cancelled: refused("A cancelled alert cannot be changed or sent.", "Duplicate it."),
  alert_repeats: refused("A repeating alert cannot be sent or deleted.", "Cancel it, or send a copy."),
  channel_not_active: refused("The channel is paused or suspended.", "Resume it, or keep the alert as a draft."),
  channel_has_subscribers: refused("A channel with subscribers cannot be deleted.", "Pause the channel instead."),
  handle_taken: refused("The handle is already taken.", "Choose another handle."),
  plan_outdated: refused(
    "An alert in the plan has changed since the dry run.",
    "Run move_alerts with `dry_run` again.",
  ),
  quota_reached: refused("The maximum number of these resources has been reached.", "Delete one that you do not need."),
  webhook_disabled: refused("The webhook is disabled.", "Fix the receiver, then call enable_webhook."),
  file_in_use: refused("The file is in use by an alert or channel.", "Remove the file from it first."),
  push_disabled: refused("Push notifications are disabled on this server.", "Poll the inbox instead."),
  last_owner: refused("A workspace needs an owner.", "Make another member an owner first."),
  already_exists: refused("This value is already in use.", "Use another value."),
  wrong_state: refused(
    "The current state of the account, form or feature does not allow this.",
    "Follow the instructions in the message.",
  ),
  database_incompatible: refused(
    "The database or file is from a different version or has a different layout.",
    "Use the Belfry version that created it.",
  ),
  database_not_empty: refused("The target database is not empty.", "Use an empty database, or add `--replace`."),
  database_in_use: refused("Another process is using the database.", "Stop that process, then repeat the command."),

  // Commands.
  ambiguous_target: invalid(
    "More than one workspace or member matches.",
    "Choose one with the option named in the message.",
  ),
  invalid_file: invalid("The command cannot read or write a file.", "Check the file named in the message."),
  file_inaccessible: refused(
    "The operating system does not allow the command to access a file or folder.",
    "Check the error message for the path and the cause.",
  ),
  backup_invalid: invalid("The backup is damaged or incomplete.", "Copy it again, or restore another backup."),
  secret_mismatch: invalid("`SECRET` does not match the database or backup.", "Use the original secret."),

  // Limits and failures.
  rate_limited: limited(
    "The rate limit has been reached.",
    "Wait for the number of seconds in `Retry-After`, then repeat the call.",
  ),
  overloaded: failed(
    "The server is overloaded.",
    "Wait for the number of seconds in `Retry-After`, then repeat the call.",
  ),
  publish_limit_reached: failed(
    "A sender has reached the channel's publishing limit.",
    "Wait for the number of seconds in `Retry-After`, then send the message again.",
  ),
  disk_full: failed("The server's disk is almost full. Reads still work.", "Ask the operator to free disk space."),
  database_unavailable: failed(
    "The database is not responding.",
    "Wait for the number of seconds in `Retry-After`, then repeat the call.",
  ),
  file_storage_unavailable: failed(
    "The file storage is not responding.",
    "Wait for the number of seconds in `Retry-After`, then repeat the call.",
  ),
  identity_provider_unavailable: failed(
    "The console's OpenID Connect provider is not responding.",
    "Try again later. The operator can run `belfry doctor` to find the cause.",
  ),
  internal_error: failed(
    "An internal error occurred. To find it in the log, search for the request id.",
    "Retry with backoff.",
  ),
  server_unreachable: failed(
    "The command cannot reach a Belfry server.",
    "Check `--url`, and make sure that the server is running.",
  ),
  no_answer: failed(
    "The connection ended before the response arrived.",
    "Before you retry, check whether the change was made.",
  ),
} as const satisfies Record<string, ErrorKind>;

/** A value of `error.code`. */
export type ErrorCode = keyof typeof ERROR_CODES;

/** The codes of one type of error. */
export type ErrorCodeOfType<T extends ErrorType> = {
  [C in ErrorCode]: (typeof ERROR_CODES)[C]["type"] extends T ? C : never;
}[ErrorCode];

/** The resources that can be missing: `alert` for alert_not_found. */
export type MissingResource =
  ErrorCodeOfType<"not_found"> extends infer C ? (C extends `${infer What}_not_found` ? What : never) : never;
