// The handset's part of the examples in examples.ts: a person in Lisbon who needs to know when the ferry does not run.

export const EXAMPLE_HANDLE = "tejo-ferries";

export const EXAMPLE_TRANSFER_CODE = "bft_8qL2vXc5Rm9Tz1Kw7Yb4Nd6Hf3Jp0Gs5Wa8Ue2Ti1oXk3Zr7Bq9";

export const EXAMPLE_LINK_CODE = "bfo_2Ti1oXk3Zr7Bq98qL2vXc5Rm9Tz1Kw7Yb4Nd6Hf3Jp0Gs5Wa8Ue";

const EXPORTED = { handle: EXAMPLE_HANDLE, muted: false, permissions: ["notify", "sound"] };
const TRAVELLED = { app_version: "4.2.1", timezone: "Atlantic/Azores" };

/** The arguments of an operation, in addition to the ids of its path. Elsewhere: the required ones. */
export const HANDSET_EXAMPLE_ARGUMENTS: Record<string, Record<string, unknown>> = {
  update_device: TRAVELLED,
  list_channels: { q: "ferry", category: "travel" },
  put_subscription: { muted: false, permissions: ["notify", "sound"] },
  import_subscriptions: { version: 1, data: [EXPORTED] },
  take_over: { code: EXAMPLE_TRANSFER_CODE },
  link_owner: { code: EXAMPLE_LINK_CODE },
  prune_reports: { before: "2026-11-01T00:00:00Z" },
};

/** Responses that differ from the examples. */
export const createHandsetExampleResponses = (publicUrl: string): Record<string, Record<string, unknown>> => ({
  update_device: TRAVELLED,
  export_subscriptions: { data: [EXPORTED], meta: { next_before: null } },
  import_subscriptions: { joined: 1, present: 0, skipped: [] },
  create_transfer: {
    code: EXAMPLE_TRANSFER_CODE,
    url: `${publicUrl}/app/#move=${EXAMPLE_TRANSFER_CODE}`,
    expires_at: "2026-11-20T14:40:31.123456Z",
  },
  take_over: { moved: 4 },
});

/** The possible beginning of a stream. */
export const STREAM_EXAMPLES: Record<string, string> = {
  follow_inbox: `event: removed
data: ["alr_01j0qk3nxv7xy2g4h8m5c9d6er"]
from: "J8hX3mQv0aTzB5kLw2NfYs"
id: "Rk4Wq9ZcT1uVx7Pd6GjMeA"

`,
};
