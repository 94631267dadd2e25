// The source of the database schema: the list of entities that the ORM knows, and further statements.

import { Alert, AlertChange, AlertSeriesFillState } from "./alert.ts";
import { Asset } from "./asset.ts";
import { AuditEvent } from "./audit_event.ts";
import { Channel, ChannelInvite, ChannelState, ReservedHandle } from "./channel.ts";
import {
  AlertCounter,
  AlertCounterStripe,
  ChannelDay,
  ChannelDayStripe,
  Device,
  DeviceReport,
  DeviceTransfer,
  OrphanedReportAlert,
  PushEndpoint,
  SubscriberBreakdown,
  Subscription,
  TestDevice,
} from "./devices_and_reports.ts";
import {
  ApiKey,
  Connection,
  ConnectionConsent,
  IdempotencyRecord,
  RecentIngestRequestsOfKey,
  StepUpRequest,
} from "./keys_and_connections.ts";
import { Member, MemberLink, Workspace } from "./member.ts";
import { DatabaseEpoch, ServerSecret } from "./server_identity.ts";
import { TRIGGERS } from "./triggers.ts";
import { WebhookDelivery, WebhookEndpoint, WorkspaceEvent } from "./webhook.ts";

/**
 * Storage options of tables, which entities cannot express. Counters get room for updates in place, append-only tables
 * an early vacuum. Search terms have no statistics. One key includes a column that is read with it.
 */
const STORAGE_STATEMENTS = [
  "alter table channel_state set (fillfactor = 50)",
  "alter table alert_counter set (fillfactor = 50)",
  "alter table alert_counter_stripe set (fillfactor = 50)",
  "alter table subscriber_breakdown set (fillfactor = 70)",
  "alter table channel_day set (fillfactor = 70)",
  "alter table channel_day_stripe set (fillfactor = 70)",
  // Searches choose their plan themselves, so statistics of terms are not needed.
  "alter table alert alter column search_vector set statistics 0",
  `alter table alert set (autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 5000)`,
  `alter table report drop constraint report_pkey,
     add constraint report_pkey primary key (alert_id, device_id, kind) include (reported_at)`,
];

export const ENTITIES = [
  Workspace,
  Member,
  MemberLink,
  Connection,
  ConnectionConsent,
  StepUpRequest,
  ApiKey,
  Channel,
  ChannelState,
  ReservedHandle,
  Alert,
  AlertChange,
  AlertSeriesFillState,
  ChannelInvite,
  Device,
  DeviceTransfer,
  TestDevice,
  Subscription,
  SubscriberBreakdown,
  PushEndpoint,
  DeviceReport,
  AlertCounter,
  AlertCounterStripe,
  OrphanedReportAlert,
  ChannelDay,
  ChannelDayStripe,
  IdempotencyRecord,
  WebhookEndpoint,
  WebhookDelivery,
  Asset,
  ServerSecret,
  DatabaseEpoch,
  RecentIngestRequestsOfKey,
  AuditEvent,
  WorkspaceEvent,
];

/** Statements for objects that the ORM's schema generator does not create. They run after it. */
export const EXTRA_SCHEMA_STATEMENTS = [...STORAGE_STATEMENTS, ...TRIGGERS];
