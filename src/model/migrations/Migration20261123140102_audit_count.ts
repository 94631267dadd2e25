// Failed sign-ins stand in the audit log with how many there were.

import { Migration } from "@mikro-orm/migrations";

export class Migration20261123140102_audit_count extends Migration {
  override up(): void {
    this.addSql("alter table audit_event add count int null");
  }
}
