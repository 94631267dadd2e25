// What is said about an alert between its author and its reviewer.

import { Migration } from "@mikro-orm/migrations";

export class Migration20261122090000_review extends Migration {
  override up(): void {
    this.addSql("alter table alert add review_note text null, add review_reply text null");
  }
}
