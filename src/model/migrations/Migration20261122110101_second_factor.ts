// A second factor and passkeys: tables of the sign-in library, as it prints them, with the last use of a passkey beside.

import { Migration } from "@mikro-orm/migrations";

export class Migration20261122110101_second_factor extends Migration {
  override up(): void {
    this.addSql(`alter table auth."user" add column "twoFactorEnabled" boolean default false`);
    this.addSql(`create table auth."twoFactor" ("id" text not null primary key, "secret" text not null,
      "backupCodes" text not null, "userId" text not null references auth."user" ("id") on delete cascade,
      "verified" boolean, "failedVerificationCount" integer, "lockedUntil" timestamptz)`);
    this.addSql(`create table auth."passkey" ("id" text not null primary key, "name" text, "publicKey" text not null,
      "userId" text not null references auth."user" ("id") on delete cascade, "credentialID" text not null,
      "counter" integer not null, "deviceType" text not null, "backedUp" boolean not null, "transports" text,
      "createdAt" timestamptz, "aaguid" text, "lastUsedAt" timestamptz)`);
    this.addSql(`create index "twoFactor_secret_idx" on auth."twoFactor" ("secret")`);
    this.addSql(`create index "twoFactor_userId_idx" on auth."twoFactor" ("userId")`);
    this.addSql(`create index "passkey_userId_idx" on auth."passkey" ("userId")`);
    this.addSql(`create index "passkey_credentialID_idx" on auth."passkey" ("credentialID")`);
  }
}
