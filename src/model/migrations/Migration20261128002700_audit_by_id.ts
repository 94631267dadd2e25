// Old lines of the audit log are found by their ids, which begin with a time. So the log needs no index of its times.

import { Migration } from "@mikro-orm/migrations";

export class Migration20261128002700_audit_by_id extends Migration {
  override up(): void {
    this.addSql("drop index audit_age");
  }
}
