// The list of all data that would grow without limit, and the time of its deletion. Expired rows are deleted only here,
// so a new table with expiring rows needs a job. Due alerts without a poll are also published here.

import { LIMITS } from "../../model/limits.ts";
import { defineRemovalStatement, type FunctionJob, type HousekeepingJob } from "./job_scheduler.ts";
import { emitPendingAlertEvents, emitPendingSubscriberEvents, fillDueSeries } from "./pending_events.ts";
import {
  type DeviceRemovalDeps,
  removeEndedAlerts,
  removeOldAudit,
  removeReportsOfDeletedAlerts,
  removeUnseenDevices,
} from "./retention_jobs.ts";
import { indexMissingAlerts } from "./search_index_backfill.ts";

const HOUR = 3600;

/** A row is kept this long after its end, so that the holder of its secret still gets the reason. */
const EXPLAINED_FOR = `interval '${LIMITS.link_explained_days} days'`;
/** The sign-in library compares with the clock of its own process; a day is more than any two clocks differ. */
const CLOCKS_AGREE = "interval '1 day'";

const ended = (column: string, grace = CLOCKS_AGREE) => `${column} < now() - ${grace}`;

/** Connections, consents and tokens refer to a client's row. A client without any of them is unused. */
const WITHOUT_GRANT = `${ended('"createdAt"')} and "userId" is null
  and not exists (select 1 from connection c where c.client_id = "oauthClient"."clientId")
  and not exists (select 1 from auth."oauthConsent" g where g."clientId" = "oauthClient"."clientId")`;

export interface HousekeepingJobDeps extends DeviceRemovalDeps {
  /** Deletes up to `max` unused uploaded files and returns their number. */
  removeExpiredAssets(max: number): Promise<number>;
  publishDueBatch(max: number): Promise<number>;
  /** Days after which an inactive device is deleted; 0 keeps all. */
  deviceRetentionDays: number;
  /** Days after which a line of the audit log is deleted; 0 keeps all. */
  auditRetentionDays: number;
}

/** Rows of a table that match the SQL in `where`: by default 500 at a time, each hour. */
type Removal = Pick<HousekeepingJob, "removes"> & Partial<HousekeepingJob> & { from: string; where: string };

/** The same for what is more than a statement. */
type Step = Pick<FunctionJob, "removes" | "work"> & Partial<FunctionJob>;

const REMOVALS: Record<string, Removal> = {
  one_time_links: {
    removes: `One-time links, whether used or not, ${LIMITS.link_explained_days} days after they expire.`,
    from: "member_link",
    where: ended("expires_at", EXPLAINED_FOR),
  },
  sessions: { removes: "User sessions, a day after they expire.", from: "auth.session", where: ended('"expiresAt"') },
  verifications: {
    removes: "Authorization codes and other one-time values used by the sign-in library, a day after they expire.",
    from: "auth.verification",
    where: ended('"expiresAt"'),
  },
  oauth_access_tokens: {
    removes: "Assistants' access tokens, a day after they expire.",
    from: `auth."oauthAccessToken"`,
    where: ended('"expiresAt"'),
  },
  oauth_refresh_tokens: {
    removes:
      "Assistants' refresh tokens and the access tokens that belong to them, a day after the refresh " +
      "tokens expire.",
    from: `auth."oauthRefreshToken"`,
    where: ended('"expiresAt"'),
  },
  connection_grants: {
    removes: "Grants that have no remaining tokens or stored consent, a day after they were given.",
    from: "connection_grant",
    where: `${ended("created_at")}
         and not exists (select 1 from auth."oauthRefreshToken" r where r."referenceId" = connection_grant.id::text)
         and not exists (select 1 from auth."oauthConsent" c where c."referenceId" = connection_grant.id::text)`,
  },
  oauth_client_assertions: {
    removes: "Stored client assertions, a day after they expire.",
    from: `auth."oauthClientAssertion"`,
    where: ended('"expiresAt"'),
  },
  oauth_clients: {
    removes: "Assistants that were never given consent, a day after they registered.",
    from: `auth."oauthClient"`,
    where: WITHOUT_GRANT,
    every_seconds: HOUR / 4,
  },
  step_ups: {
    removes: "Records of scope challenges sent to assistants, after a day.",
    from: "step_up",
    where: ended("requested_at"),
  },
  device_transfers: {
    removes: "Codes for transferring subscriptions to another device, a day after they expire.",
    from: "device_transfer",
    where: ended("expires_at"),
  },
  test_device_links: {
    removes: "Links for test devices, a day after they expire.",
    from: "test_device",
    where: `device_id is null and ${ended("expires_at")}`,
  },
  alert_changes: {
    removes:
      `Alert edit history, after ${LIMITS.alert_changes_days} days; only the newest ${LIMITS.alert_changes} edits of ` +
      "each alert are kept.",
    from: "alert_change",
    where: ended("updated_at", `interval '${LIMITS.alert_changes_days} days'`),
  },
  webhook_deliveries: {
    removes:
      `Webhook deliveries, after ${LIMITS.deliveries_days} days; only the newest ${LIMITS.deliveries} per endpoint ` +
      "are kept.",
    from: "webhook_delivery",
    where: ended("created_at", `interval '${LIMITS.deliveries_days} days'`),
  },
  events: {
    removes: `Events for list_events, after ${LIMITS.events_days} days.`,
    from: "workspace_event",
    where: ended("created_at", `interval '${LIMITS.events_days} days'`),
    batch: 1000,
    every_seconds: HOUR / 4,
  },
  idempotency_records: {
    removes: `Idempotency keys and their stored responses, after ${LIMITS.idempotency_hours} hours.`,
    from: "idempotency_record",
    where: ended("created_at", `interval '${LIMITS.idempotency_hours} hours'`),
    every_seconds: HOUR / 4,
  },
};

/** Jobs of `findJobsWithWork`. */
const FREQUENT = { every_seconds: 1, waits: true };
const USUAL = { batch: 500, every_seconds: HOUR };

const STATEMENTS = Object.entries(REMOVALS).map(
  ([name, { from, where, ...step }]): HousekeepingJob => ({
    ...{ name, ...USUAL, ...step },
    statement: defineRemovalStatement(name, from, where),
  }),
);

/** The steps of one service. */
export function createHousekeepingJobs(deps: HousekeepingJobDeps): HousekeepingJob[] {
  const { deviceRetentionDays: days, auditRetentionDays: audited } = deps;
  const steps: Record<string, Step> = {
    due_alerts: {
      removes: "Due alerts, which are marked as sent.",
      work: (batch) => deps.publishDueBatch(batch),
      ...FREQUENT,
    },
    due_series: {
      removes: "Repeating alerts whose next occurrences are to be created.",
      work: (batch) => fillDueSeries(deps, batch),
      // Their channels are locked while their rules are read, some milliseconds for each.
      batch: 50,
      ...FREQUENT,
    },
    pending_subscriber_events: {
      removes: "Delayed events about subscriber counts, each sent one second after the previous one.",
      work: (batch) => emitPendingSubscriberEvents(deps, batch),
      batch: 1000,
      ...FREQUENT,
    },
    pending_alert_events: {
      removes: "Pending events about published alerts, acknowledgements and replies.",
      work: (batch) => emitPendingAlertEvents(deps, batch),
      ...FREQUENT,
    },
    unindexed_alerts: {
      removes:
        "Alerts from earlier Belfry versions. They are added to the search index at a rate of a " +
        "thousand per second.",
      work: (batch) => indexMissingAlerts(deps.orm, batch),
      batch: 1000,
      every_seconds: 60,
    },
    ended_alerts: {
      removes: "Alerts older than their channel's retention_days; their counts are kept.",
      work: (batch) => removeEndedAlerts(deps.orm, batch),
    },
    orphaned_reports: {
      removes: "Device reports about these alerts.",
      work: (batch) => removeReportsOfDeletedAlerts(deps.orm, batch),
      batch: 1000,
      every_seconds: 60,
    },
    unused_files: {
      removes: `Uploaded files that are unused after ${LIMITS.waiting_files_hours} hours.`,
      work: (batch) => deps.removeExpiredAssets(batch),
      batch: 100,
      every_seconds: HOUR / 4,
    },
  };
  if (days > 0)
    steps.unseen_devices = {
      removes: "Devices that have been inactive for DEVICE_RETENTION_DAYS days, with their subscriptions.",
      work: (batch) => removeUnseenDevices(deps, days, batch),
      batch: 200,
    };
  if (audited > 0)
    steps.audit_events = {
      removes: "Audit log entries older than AUDIT_RETENTION_DAYS days.",
      work: (batch) => removeOldAudit(deps, audited, batch),
      batch: 1000,
    };
  const works = Object.entries(steps).map(([name, step]): HousekeepingJob => ({ name, ...USUAL, ...step }));
  return [...STATEMENTS, ...works];
}
