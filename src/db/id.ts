import { randomBytes } from 'node:crypto';

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]?: Name };

export type OrgId = Branded<'org'>;
export type KeyId = Branded<'key'>;
export type EntityId = Branded<'entity'>;
export type AgentId = Branded<'agent'>;
export type SpaceId = Branded<'space'>;
export type MessageId = Branded<'message'>;
export type EventId = Branded<'event'>;
export type RunId = Branded<'run'>;
export type DraftId = Branded<'draft'>;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** UUIDv7 (RFC 9562): 48 bits of milliseconds, then random bits. Ids sort roughly by birth, which keeps index pages warm; order is never read from them. */
export function newId(now = Date.now()): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(now, 0, 6);
  bytes[6] = 0x70 | (bytes[6]! & 0x0f);
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Postgres answers 22P02 to anything else in a uuid column, so ask before querying. */
export function isId(text: string): boolean {
  return UUID.test(text);
}
