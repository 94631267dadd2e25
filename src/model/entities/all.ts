// The schema's source: the explicit list of entities that the ORM knows, and what tables have beside them.

import { Alert } from "./alert.ts";
import { AlertChange } from "./alert_change.ts";
import { AlertSeries } from "./alert_series.ts";
import { AlertBlock, AlertWords, LooseAlert } from "./alert_words.ts";
import { ApiKey } from "./api_key.ts";
import { Asset } from "./asset.ts";
import { AuditEvent } from "./audit_event.ts";
import { Connection, ConnectionGrant } from "./connection.ts";
import { Epoch } from "./epoch.ts";
import {
  AlertCounter,
  AlertCounterStripe,
  ChannelDay,
  ChannelDayStripe,
  Device,
  DeviceTransfer,
  LeftReports,
  PushEndpoint,
  Report,
  SubscriberMix,
  Subscription,
} from "./handset.ts";
import { IdempotencyRecord } from "./idempotency_record.ts";
import { Invite } from "./invite.ts";
import { Member, MemberLink } from "./member.ts";
import { OwnDevice } from "./own_device.ts";
import { ChannelState, Pusher } from "./pusher.ts";
import { ReservedHandle } from "./reserved_handle.ts";
import { SenderLog } from "./sender_log.ts";
import { ServerSecret } from "./server_secret.ts";
import { StepUp } from "./step_up.ts";
import { STORAGE } from "./storage.ts";
import { TRIGGERS } from "./triggers.ts";
import { WebhookDelivery } from "./webhook_delivery.ts";
import { WebhookEndpoint } from "./webhook_endpoint.ts";
import { Workspace } from "./workspace.ts";
import { WorkspaceEvent } from "./workspace_event.ts";

export const ENTITIES = [
  Workspace,
  Member,
  MemberLink,
  Connection,
  ConnectionGrant,
  StepUp,
  ApiKey,
  Pusher,
  ChannelState,
  ReservedHandle,
  Alert,
  AlertChange,
  AlertSeries,
  AlertWords,
  LooseAlert,
  AlertBlock,
  Invite,
  Device,
  DeviceTransfer,
  OwnDevice,
  Subscription,
  SubscriberMix,
  PushEndpoint,
  Report,
  AlertCounter,
  AlertCounterStripe,
  LeftReports,
  ChannelDay,
  ChannelDayStripe,
  IdempotencyRecord,
  WebhookEndpoint,
  WebhookDelivery,
  Asset,
  ServerSecret,
  Epoch,
  SenderLog,
  AuditEvent,
  WorkspaceEvent,
];

/** What the ORM's schema generator does not make: statements to run after it. */
export const BESIDE = [...STORAGE, ...TRIGGERS];
