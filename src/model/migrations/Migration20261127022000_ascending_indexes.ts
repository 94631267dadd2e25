// Indexes ascend, also for lists that begin with the newest row. With a descending column, each new row came first and
// left half-empty pages. They are built again while their tables are locked: the step to 0.3.0 needs a stop.

import { Migration } from "@mikro-orm/migrations";

const INDEXES = [
  "alert_inbox on alert (pusher_id, visible_at, id) where status = 'sent'",
  "alert_list on alert (pusher_id, created_at)",
  "alert_draft on alert (pusher_id, created_at) where status = 'draft'",
  "alert_repeating on alert (pusher_id, created_at) where status = 'repeating'",
  "alert_cancelled on alert (pusher_id, created_at) where status = 'cancelled'",
  "alert_newest on alert (created_at, id)",
  "alert_newest_sent on alert (visible_at, id) where status = 'sent'",
  "asset_list on asset (workspace_id, created_at)",
  "audit_by_workspace_id on audit_event (workspace_id, created_at)",
  "audit_by_pusher_id on audit_event (pusher_id, created_at) where pusher_id is not null",
  "audit_by_actor_id on audit_event (actor_id, created_at) where actor_id is not null",
  "audit_by_subject_id on audit_event (subject_id, created_at) where subject_id is not null",
  "subscription_list on subscription (pusher_id, subscribed_at)",
  "subscription_muted_list on subscription (pusher_id, subscribed_at) where muted",
  "webhook_delivery_list on webhook_delivery (endpoint_id, created_at)",
];

export class Migration20261127022000_ascending_indexes extends Migration {
  override up(): void {
    for (const index of INDEXES) {
      this.addSql(`drop index ${index.split(" ")[0]}`);
      this.addSql(`create index ${index}`);
    }
  }
}
