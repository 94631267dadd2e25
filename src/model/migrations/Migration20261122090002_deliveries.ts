// The log of webhook deliveries, and the secret before the present one.

import { Migration } from "@mikro-orm/migrations";

export class Migration20261122090002_deliveries extends Migration {
  override up(): void {
    this.addSql(
      "create table webhook_delivery (id uuid not null, endpoint_id uuid not null, event text not null, body text not null, redelivery_of uuid null, ok boolean null, status int null, failure text null, duration_ms int null, created_at timestamptz(6) not null default clock_timestamp(), primary key (id))",
    );
    this.addSql("create index webhook_delivery_list on webhook_delivery (endpoint_id, created_at DESC)");
    this.addSql("create index webhook_delivery_age on webhook_delivery (created_at)");
    this.addSql(
      "alter table webhook_endpoint add previous_secret bytea null, add previous_secret_until timestamptz(6) null",
    );
    this.addSql(
      "alter table webhook_delivery add constraint webhook_delivery_endpoint_id_foreign foreign key (endpoint_id) references webhook_endpoint (id) on delete cascade",
    );
  }
}
