// A statement that takes an idempotency key says what of the answer only it knows.

import { Migration } from "@mikro-orm/migrations";

export class Migration20261124000500_answers_given extends Migration {
  override up(): void {
    this.addSql("alter table idempotency_record add given jsonb null");
  }
}
