// The log says which fields an edit changed; of lines that are there nobody knows.

import { Migration } from "@mikro-orm/migrations";

export class Migration20261123171041_audit_changed extends Migration {
  override up(): void {
    this.addSql("alter table audit_event add changed text[] null");
  }
}
