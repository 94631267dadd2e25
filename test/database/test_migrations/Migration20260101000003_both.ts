// Changes one table and refers to another, so it waits for the locks of both.

import { Migration } from "@mikro-orm/migrations";

export class Migration20260101000003_both extends Migration {
  override up(): void {
    this.addSql("alter table channel add column file_id int null");
    this.addSql("alter table channel add constraint channel_file_id foreign key (file_id) references file (id)");
  }
}
