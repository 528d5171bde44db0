import type { Generated, JSONColumnType } from 'kysely';

export type KeyRole = 'admin' | 'entity';

export interface ApiKeyTable {
  id: string;
  org_id: string;
  role: KeyRole;
  entity_id: string | null;
  hash: Buffer;
  hint: string;
  created_at: Generated<Date>;
  revoked_at: Date | null;
}

export interface IdempotencyKeyTable {
  org_id: string;
  caller: string;
  key: string;
  request_hash: Buffer;
  status: number | null;
  answer: JSONColumnType<{ text: string }> | null;
  created_at: Generated<Date>;
}
