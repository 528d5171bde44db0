import type { Db, Trx } from '../db/open-database.ts';
import type { EntityKind } from '../entities/entity-table.ts';
import type { InboxEventType, InboxStatus } from './inbox-table.ts';

/** Something an agent must look at, with what it needs to be told about it. */
export type InboxEvent = {
  id: string;
  position: number;
  type: InboxEventType;
  status: InboxStatus;
  urgent: boolean;
  createdAt: Date;
  failures: number;
  space?: { id: string; name: string };
  message?: { id: string; seq: number; text: string };
  sender?: { id: string; name: string; kind: EntityKind };
  payload?: object;
};

export function selectInboxEvents(db: Db | Trx) {
  return db
    .selectFrom('inbox_events')
    .leftJoin('messages', 'messages.id', 'inbox_events.message_id')
    .leftJoin('spaces', 'spaces.id', 'inbox_events.space_id')
    .leftJoin('entities as sender', 'sender.id', 'inbox_events.sender_id')
    .select([
      'inbox_events.id',
      'inbox_events.position',
      'inbox_events.type',
      'inbox_events.status',
      'inbox_events.urgent',
      'inbox_events.created_at',
      'inbox_events.failures',
      'inbox_events.space_id',
      'inbox_events.message_id',
      'inbox_events.sender_id',
      'inbox_events.payload',
      'spaces.name as space_name',
      'messages.seq as message_seq',
      'messages.text as message_text',
      'messages.sender_name',
      'sender.name as entity_name',
      'sender.kind as sender_kind',
    ]);
}

type Row = Awaited<ReturnType<ReturnType<typeof selectInboxEvents>['execute']>>[number];

export function toInboxEvent(row: Row): InboxEvent {
  return {
    id: row.id,
    position: row.position,
    type: row.type,
    status: row.status,
    urgent: row.urgent,
    createdAt: row.created_at,
    failures: row.failures,
    ...(row.space_id !== null && { space: { id: row.space_id, name: row.space_name ?? '' } }),
    ...(row.message_id !== null && {
      message: { id: row.message_id, seq: row.message_seq ?? 0, text: row.message_text ?? '' },
    }),
    ...(row.sender_id !== null && {
      sender: {
        id: row.sender_id,
        name: row.sender_name ?? row.entity_name ?? '',
        kind: row.sender_kind ?? 'human',
      },
    }),
    ...(row.payload !== null && { payload: row.payload }),
  };
}
