// Columns, tables, indexes, functions and triggers are named by the field's terms. An earlier version cannot use this
// database afterwards, so the service is stopped for this step.

import { readFileSync } from "node:fs";
import { Migration } from "@mikro-orm/migrations";

/** Columns and constraints. `table` is part of each key: the locks of a migration are found in its text. */
const RENAMED = {
  "table alert": [
    "column notice_id to review_notice_id",
    "column apart to detached_from_series",
    "column words to search_vector",
  ],
  "table alert_change": ["column former to previous_values"],
  "table alert_counter": [
    "column appeared to visible_pending",
    "column untold to acks_pending",
    "column told_acks to acks_reported",
    "column told_at to acks_reported_at",
    "column replied to replies_pending",
    "column replied_told_at to replies_reported_at",
  ],
  "table alert_series": ["column filled_to to filled_until", "column fill_at to next_fill_at"],
  "table api_key": ["column asks_first to requires_approval", "column made_for to client_program"],
  "table asset": ["column refs to reference_count"],
  "table channel_day": ["column gone to deleted"],
  "table channel_state": [
    "column rev to revision",
    "column next_at to next_due_at",
    "column told_subscribers to subscribers_reported",
    "column told_at to subscribers_reported_at",
    "column untold to subscribers_pending",
  ],
  "table connection": ["column asks_first to requires_approval"],
  "table connection_grant": ["column codes to code_hashes"],
  "table database_epoch": [
    "column home to origin",
    "constraint epoch_pkey to database_epoch_pkey",
    "constraint epoch_one_row_check to database_epoch_one_row_check",
  ],
  "table device": [
    "column subs_rev to subscriptions_revision",
    "column leaves to leave_count",
    "column seen_at to last_seen_at",
  ],
  "table idempotency_record": ["column answer to sealed_response", "column given to response_patch"],
  "table member": ["column mails_drafts to wants_draft_emails"],
  "table member_link": [
    "column made_by to issued_by",
    "constraint member_link_made_by_check to member_link_issued_by_check",
  ],
  "table orphaned_report_alert": ["constraint left_reports_pkey to orphaned_report_alert_pkey"],
  "table pusher": [
    "column search to search_text",
    "column grams to search_ngrams",
    "column retention_from to retention_starts_at",
  ],
  "table report": ["column at to reported_at", "column was to previous_choice"],
  "table step_up": ["column asked_at to requested_at"],
  "table subscriber_breakdown": [
    "column n to device_count",
    "column muted to muted_count",
    "constraint subscriber_mix_pkey to subscriber_breakdown_pkey",
    "constraint subscriber_mix_pusher_id_foreign to subscriber_breakdown_pusher_id_foreign",
  ],
  "table test_device": [
    "column shown_as to test_alert_id",
    "column shown_at to test_shown_at",
    "constraint own_device_pkey to test_device_pkey",
    "constraint own_device_device_id_foreign to test_device_device_id_foreign",
  ],
  "table webhook_endpoint": ["column maker_id to created_by_id", "column maker_name to created_by_name"],
  "table workspace": [
    "column events_numbered to last_event_position",
    "column reviews_id to review_channel_id",
    "column retention_from to retention_starts_at",
  ],
};

export class Migration20261126101500_field_terms extends Migration {
  override up(): void {
    this.addSql("drop table alert_words");
    this.addSql("alter table epoch rename to database_epoch");
    this.addSql("alter table left_reports rename to orphaned_report_alert");
    this.addSql("alter table own_device rename to test_device");
    this.addSql("alter table subscriber_mix rename to subscriber_breakdown");
    for (const [table, names] of Object.entries(RENAMED))
      for (const name of names) this.addSql(`alter ${table} rename ${name}`);
    this.addSql("alter index alert_counter_untold rename to alert_counter_pending");
    this.addSql("alter index alert_words_hidden rename to alert_search_hidden");
    this.addSql("alter index alert_words_visible rename to alert_search_visible");
    this.addSql("alter index channel_state_next rename to channel_state_next_due");
    this.addSql("alter index channel_state_untold rename to channel_state_pending");
    this.addSql("alter index device_seen rename to device_last_seen");
    this.addSql("alter index device_transfer_end rename to device_transfer_expiry");
    this.addSql("alter index member_link_end rename to member_link_expiry");
    this.addSql("alter index own_device_code rename to test_device_code");
    this.addSql("alter index own_device_device rename to test_device_device");
    this.addSql("alter index own_device_end rename to test_device_expiry");
    this.addSql("alter index own_device_person rename to test_device_user");
    this.addSql("alter index pusher_placed rename to pusher_geofenced");
    this.addSql("alter index subscription_wakes rename to subscription_push");
    this.addSql("alter function alert_reports_removed() rename to delete_alert_reports");
    this.addSql("alter function alert_to_assets() rename to count_alert_assets");
    this.addSql("alter function alert_to_state() rename to count_alert_change");
    this.addSql("alter function alert_values() rename to check_alert_values");
    this.addSql("alter function alert_words_outdated() rename to clear_search_vector");
    this.addSql("alter function audit_event_kept() rename to refuse_audit_change");
    this.addSql("alter function device_to_mix() rename to update_subscriber_breakdown");
    this.addSql("alter function device_values() rename to check_device_values");
    this.addSql("alter function new_alerts_to_state() rename to count_new_alerts");
    this.addSql("alter function notice_over() rename to cancel_review_notice");
    this.addSql("alter function pusher_to_assets() rename to count_pusher_asset");
    this.addSql("alter function pusher_to_grams() rename to set_pusher_search_ngrams");
    this.addSql("alter function pusher_to_state() rename to sync_channel_state");
    this.addSql("alter function pusher_values() rename to check_pusher_values");
    this.addSql("alter function retention_set() rename to set_retention_start");
    this.addSql("alter function subscription_muted() rename to count_muted_subscription");
    this.addSql("alter function subscription_to_counts() rename to count_subscriptions");
    this.addSql("alter function webhook_endpoint_values() rename to check_webhook_endpoint_values");
    this.addSql("alter trigger alert_decided on alert rename to alert_draft_reviewed");
    this.addSql("alter trigger alert_gone on alert rename to alert_draft_deleted");
    this.addSql("alter trigger alert_words_outdated on alert rename to alert_text_changed");
    this.addSql("alter trigger audit_event_stays on audit_event rename to audit_event_append_only");
    this.addSql("alter trigger audit_event_stays_whole on audit_event rename to audit_event_no_truncate");
    this.addSql("alter trigger pusher_retention_set on pusher rename to pusher_retention_changed");
    this.addSql("alter trigger pusher_searched on pusher rename to pusher_search_changed");
    this.addSql("alter trigger workspace_retention_set on workspace rename to workspace_retention_changed");
    this.addSql("drop trigger alert_deleted on alert");
    for (const statement of readFileSync(new URL("renamed_trigger_functions.sql", import.meta.url), "utf8")
      .replace(/^--.*\n/gm, "")
      .split(/;\n+(?! )/))
      if (statement) this.addSql(statement);
    this.addSql(`create trigger alert_deleted after delete on alert for each row
  when (old.visible_at is not null and current_setting('belfry.keep_counts', true) is distinct from 'on')
  execute function count_alert_change()`);
  }
}
