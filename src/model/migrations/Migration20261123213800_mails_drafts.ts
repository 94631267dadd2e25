// A member may want a mail for each draft that waits.

import { Migration } from "@mikro-orm/migrations";

export class Migration20261123213800_mails_drafts extends Migration {
  override up(): void {
    this.addSql("alter table member add mails_drafts boolean not null default false");
  }
}
