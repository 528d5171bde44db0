import { z } from 'zod';

import { requireAgent } from '../../agents/agent.ts';
import { AppError } from '../../errors.ts';
import { deleteMemories } from '../../memory/delete-memories.ts';
import { listMemories } from '../../memory/list-memories.ts';
import { memoryFields, type MemoryOwner } from '../../memory/memory.ts';
import { setMemories } from '../../memory/set-memories.ts';
import type { Trx } from '../../db/open-database.ts';
import { idField, timeField } from '../fields.ts';
import { pageOf, pageQuery, toPage, toPageRequest } from '../page.ts';
import { readName } from '../read-name.ts';
import { readRoute, writeRoute } from '../route.ts';

const memoryBody = z.strictObject({ value: memoryFields.value, importance: memoryFields.importance.optional() });

const memoryAnswer = z
  .strictObject({
    id: idField,
    key: z.string(),
    value: z.string(),
    importance: z.number().int(),
    scope: z.enum(['agent', 'organisation']),
    createdAt: timeField,
    updatedAt: timeField,
  })
  .meta({ id: 'Memory' });

const example = { value: 'Room 12, quiet side', importance: 7 };

export const memoryRoutes = [
  readRoute({
    path: '/v1/agents/:agentId/memories',
    tag: 'Memories',
    summary: 'List what an agent keeps in mind',
    description: 'Its own memories and, with scope `organisation`, those that every agent of the organisation has.',
    access: 'admin',
    query: pageQuery,
    answer: pageOf(memoryAnswer),
    async handle({ db, caller, params, query }) {
      await requireAgent(db, caller.orgId, params.agentId);
      const owner = { orgId: caller.orgId, agentId: params.agentId };
      return toPage(await listMemories(db, owner, toPageRequest(query)));
    },
  }),
  writeRoute({
    method: 'put',
    path: '/v1/agents/:agentId/memories/:key',
    tag: 'Memories',
    summary: 'Set a memory of an agent',
    description: 'Holds from its next cycle on. Without `importance` a new memory has 5 and a known one keeps its own.',
    access: 'admin',
    status: 200,
    body: memoryBody,
    example,
    answer: memoryAnswer,
    handle: ({ trx, caller, params, body }) =>
      setMemory(trx, { orgId: caller.orgId, agentId: params.agentId }, params.key, body),
  }),
  writeRoute({
    method: 'delete',
    path: '/v1/agents/:agentId/memories/:key',
    tag: 'Memories',
    summary: 'Delete a memory of an agent',
    access: 'admin',
    status: 204,
    handle: ({ trx, caller, params }) =>
      deleteMemory(trx, { orgId: caller.orgId, agentId: params.agentId }, params.key),
  }),
  readRoute({
    path: '/v1/memories',
    tag: 'Memories',
    summary: 'List the memories that all agents have',
    access: 'admin',
    query: pageQuery,
    answer: pageOf(memoryAnswer),
    handle: async ({ db, caller, query }) =>
      toPage(await listMemories(db, { orgId: caller.orgId, agentId: null }, toPageRequest(query))),
  }),
  writeRoute({
    method: 'put',
    path: '/v1/memories/:key',
    tag: 'Memories',
    summary: 'Set a memory that all agents have',
    description: 'One that an agent set for all and that is set here again is no longer its own: erasing it leaves it.',
    access: 'admin',
    status: 200,
    body: memoryBody,
    example,
    answer: memoryAnswer,
    handle: ({ trx, caller, params, body }) => setMemory(trx, { orgId: caller.orgId, agentId: null }, params.key, body),
  }),
  writeRoute({
    method: 'delete',
    path: '/v1/memories/:key',
    tag: 'Memories',
    summary: 'Delete a memory that all agents have',
    access: 'admin',
    status: 204,
    handle: ({ trx, caller, params }) => deleteMemory(trx, { orgId: caller.orgId, agentId: null }, params.key),
  }),
];

async function setMemory(trx: Trx, owner: MemoryOwner, name: string, body: z.output<typeof memoryBody>) {
  const key = readName(memoryFields.key, name, 'key');
  const [memory] = await setMemories(trx, owner, 'person', [{ key, ...body }]);
  return memory!;
}

async function deleteMemory(trx: Trx, owner: MemoryOwner, key: string): Promise<void> {
  const deleted = await deleteMemories(trx, owner, 'person', [key]);
  if (deleted.length === 0) throw new AppError('not-found', `there is no memory ${key.slice(0, 100)}`);
}
