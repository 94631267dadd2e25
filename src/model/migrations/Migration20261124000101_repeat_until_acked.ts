// Handsets may be asked to show an urgent alert again.

import { Migration } from "@mikro-orm/migrations";

export class Migration20261124000101_repeat_until_acked extends Migration {
  override up(): void {
    this.addSql("alter table alert add repeat_until_acked boolean not null default false");
  }
}
