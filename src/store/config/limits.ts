// How many handsets and assistants may register, how many pages are shown, how long a handset is kept, and where an assistant
// may get its answer.

import { mayBeAdded } from "../../model/domain/redirect_schemes.ts";
import { LIMITS } from "../../model/limits.ts";
import { list, type Table, wholeNumber } from "./setting.ts";

export const BOUNDS = {
  deviceRegistrationsPerMinute: {
    name: "DEVICE_REGISTRATIONS_PER_MINUTE",
    meaning:
      "How many handsets one address may register in a minute, and a tenth of how often it may join and leave channels; loopback is exempt.",
    ...wholeNumber(1, 1_000_000, LIMITS.registrations),
  },
  pageViewsPerMinute: {
    name: "PAGE_VIEWS_PER_MINUTE",
    meaning:
      "How many public pages, feeds and descriptions of the API one address may ask for in a minute; loopback is exempt.",
    ...wholeNumber(1, 1_000_000, 600),
  },
  deviceRetentionDays: {
    name: "DEVICE_RETENTION_DAYS",
    meaning:
      "Days after which a handset that was not seen again is removed, which lowers its channels' subscribers as leaving does; what it reported stays counted. 0 keeps all.",
    ...wholeNumber(0, 36_500, 365),
  },
  auditRetentionDays: {
    name: "AUDIT_RETENTION_DAYS",
    meaning: "Days after which a line of the audit log is removed. 0 keeps all.",
    ...wholeNumber(0, 36_500, 365),
  },
  clientRegistrationsPerMinute: {
    name: "CLIENT_REGISTRATIONS_PER_MINUTE",
    meaning: "How many assistants one address may register in a minute; loopback is exempt.",
    ...wholeNumber(1, 1_000_000, 20),
  },
  oauthRedirectSchemes: {
    name: "OAUTH_REDIRECT_SCHEMES",
    meaning:
      "Comma list of further schemes, such as myeditor, at which an assistant's own program may get its answer; reverse-domain schemes and those of known editors need no entry.",
    ...list(mayBeAdded, "schemes without a colon, none of which a browser runs or opens by itself"),
  },
} satisfies Table;
