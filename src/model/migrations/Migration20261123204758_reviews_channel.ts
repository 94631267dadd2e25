// A workspace may have a channel that tells of drafts which wait; a draft knows the alert that told of it, and a trigger ends that one.

import { Migration } from "@mikro-orm/migrations";

export class Migration20261123204758_reviews_channel extends Migration {
  override up(): void {
    this.addSql("alter table workspace add reviews_id uuid null");
    this.addSql("alter table alert add notice_id uuid null");
    this.addSql(`create or replace function notice_over() returns trigger language plpgsql as $$
  begin
    update alert set status = 'cancelled', cancelled_at = clock_timestamp(), updated_at = clock_timestamp()
    where id = old.notice_id and status = 'sent';
    return null;
  end $$`);
    this.addSql(`create trigger alert_decided after update of status, review_reply on alert for each row
  when (old.notice_id is not null and (new.status <> 'draft' or new.review_reply is not null))
  execute function notice_over()`);
    this.addSql(`create trigger alert_gone after delete on alert for each row
  when (old.notice_id is not null) execute function notice_over()`);
  }
}
