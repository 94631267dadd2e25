// A key can be made for another program, and what became of its last requests in that program's words is kept.

import { Migration } from "@mikro-orm/migrations";

export class Migration20261124000300_sender_log extends Migration {
  override up(): void {
    this.addSql("alter table api_key add made_for text null");
    this.addSql(
      "create table sender_log (key_id uuid not null, requests jsonb not null, constraint sender_log_pkey primary key (key_id))",
    );
    this.addSql(
      "alter table sender_log add constraint sender_log_key_id_foreign foreign key (key_id) references api_key (id) on delete cascade",
    );
  }
}
