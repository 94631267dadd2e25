// Assistants that registered before there were rules: what the server would fetch, show or believe is forgotten, and the
// scopes that were known at that time no longer bound what a person may grant. And where it is kept that an assistant was
// told what it lacks.

import { Migration } from "@mikro-orm/migrations";

export class Migration20261121000020_clients extends Migration {
  override up(): void {
    this.addSql(`update auth."oauthClient" set "backchannelLogoutUri" = null, "backchannelLogoutSessionRequired" = null,
      "postLogoutRedirectUris" = null, "jwksUri" = null, "jwks" = null, "icon" = null, "tos" = null, "policy" = null,
      "contacts" = null, "softwareId" = null, "softwareVersion" = null, "softwareStatement" = null, "metadata" = null,
      "dpopBoundAccessTokens" = null, "scopes" = null, "name" = left("name", 120)`);
    this.addSql(`create table step_up (
      user_id text not null,
      client_id text not null,
      asked_at timestamptz(6) not null,
      primary key (user_id, client_id))`);
  }
}
