// What was done to one thing is found by an index, as what one key did is.

import { Migration } from "@mikro-orm/migrations";

export class Migration20261122110201_audit_subject extends Migration {
  override up(): void {
    this.addSql(
      "create index audit_by_subject_id on audit_event (subject_id, created_at DESC) where subject_id is not null",
    );
  }
}
