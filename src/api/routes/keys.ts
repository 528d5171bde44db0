import { z } from 'zod';

import { requireEntity } from '../../entities/find-entity.ts';
import { createKey } from '../../keys/create-key.ts';
import { listKeys } from '../../keys/list-keys.ts';
import { revokeKey } from '../../keys/revoke-key.ts';
import { idField, timeField } from '../fields.ts';
import { pageOf, pageQuery, toPage, toPageRequest } from '../page.ts';
import { readRoute, writeRoute } from '../route.ts';

const newKeyBody = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('admin') }),
  z.strictObject({ role: z.literal('entity'), entityId: idField }),
]);

const keyAnswer = z
  .strictObject({
    id: idField,
    role: z.enum(['admin', 'entity']),
    entityId: idField.nullable(),
    hint: z.string(),
    createdAt: timeField,
    revokedAt: timeField.nullable(),
  })
  .meta({ id: 'Key' });

export const keyRoutes = [
  writeRoute({
    method: 'post',
    path: '/v1/keys',
    tag: 'Keys',
    summary: 'Create a key',
    description:
      'An admin key may do everything in its organisation. The key of an entity reads and writes the spaces that entity is in, and speaks only as it. The key is shown this once.',
    access: 'admin',
    status: 201,
    secret: true,
    body: newKeyBody,
    example: { role: 'admin' },
    answer: z.strictObject({ id: idField, key: z.string() }),
    async handle({ trx, caller, body }) {
      if (body.role === 'admin') return createKey(trx, { orgId: caller.orgId });
      const entity = await requireEntity(trx, caller.orgId, body.entityId);
      return createKey(trx, { orgId: caller.orgId, entityId: entity.id });
    },
  }),
  readRoute({
    path: '/v1/keys',
    tag: 'Keys',
    summary: 'List the keys',
    access: 'admin',
    query: pageQuery,
    answer: pageOf(keyAnswer),
    handle: async ({ db, caller, query }) => toPage(await listKeys(db, caller.orgId, toPageRequest(query))),
  }),
  writeRoute({
    method: 'delete',
    path: '/v1/keys/:keyId',
    tag: 'Keys',
    summary: 'Revoke a key at once',
    description: 'Streams that it holds open end within five seconds. The last admin key cannot be revoked.',
    access: 'admin',
    status: 204,
    handle: ({ trx, caller, params }) => revokeKey(trx, caller.orgId, params.keyId),
  }),
];
