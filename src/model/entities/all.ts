// The schema's source: the explicit list of entities that the ORM knows, and what tables have beside them.

import { Alert, AlertChange, AlertSeries } from "./alert.ts";
import { AlertBlock, AlertWords, LooseAlert } from "./alert_words.ts";
import { ApiKey, IdempotencyRecord, SenderLog } from "./api_key.ts";
import { Asset } from "./asset.ts";
import { AuditEvent } from "./audit_event.ts";
import { Connection, ConnectionGrant, StepUp } from "./connection.ts";
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
import { Member, MemberLink, Workspace } from "./member.ts";
import { OwnDevice } from "./own_device.ts";
import { ChannelState, Invite, Pusher, ReservedHandle } from "./pusher.ts";
import { Epoch, ServerSecret } from "./server.ts";
import { STORAGE } from "./storage.ts";
import { TRIGGERS } from "./triggers.ts";
import { WebhookDelivery, WebhookEndpoint, WorkspaceEvent } from "./webhook.ts";

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
