// Deliveries that the server dropped for its own lack of room, counted apart from an endpoint's failures.

import { Migration } from "@mikro-orm/migrations";

export class Migration20261121000081_dropped extends Migration {
  override up(): void {
    this.addSql("alter table webhook_endpoint add column dropped_count int not null default 0");
  }
}
