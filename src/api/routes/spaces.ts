import { z } from 'zod';

import { createSpace } from '../../spaces/create-space.ts';
import { getSpace } from '../../spaces/get-space.ts';
import { listSpaces } from '../../spaces/list-spaces.ts';
import { addMember, removeMember } from '../../spaces/members.ts';
import { renameSpace } from '../../spaces/rename-space.ts';
import { idField, nameField, timeField } from '../fields.ts';
import { pageOf, pageQuery, toPage, toPageRequest } from '../page.ts';
import { readRoute, writeRoute } from '../route.ts';
import { seeSpace } from '../see-space.ts';

const summary = z.strictObject({ id: idField, name: z.string(), createdAt: timeField });
const summaryAnswer = summary.meta({ id: 'SpaceSummary' });
const member = z
  .strictObject({ id: idField, name: z.string(), kind: z.enum(['human', 'agent']) })
  .meta({ id: 'Member' });
const spaceAnswer = summary.extend({ members: z.array(member) }).meta({ id: 'Space' });

export const spaceRoutes = [
  writeRoute({
    method: 'post',
    path: '/v1/spaces',
    tag: 'Spaces',
    summary: 'Create a space',
    access: 'admin',
    status: 201,
    body: z.strictObject({ name: nameField, members: z.array(idField).max(1_000).optional() }),
    example: { name: 'Lobby', members: [] },
    answer: spaceAnswer,
    handle: ({ trx, caller, body }) =>
      createSpace(trx, { orgId: caller.orgId, name: body.name, memberIds: body.members ?? [] }),
  }),
  readRoute({
    path: '/v1/spaces',
    tag: 'Spaces',
    summary: 'List the spaces',
    description: 'The key of an entity sees the spaces that entity is in.',
    access: 'member',
    query: pageQuery,
    answer: pageOf(summaryAnswer),
    async handle({ db, caller, query }) {
      const whose = caller.role === 'entity' ? { memberId: caller.entityId } : {};
      return toPage(await listSpaces(db, { orgId: caller.orgId, ...whose }, toPageRequest(query)));
    },
  }),
  readRoute({
    path: '/v1/spaces/:spaceId',
    tag: 'Spaces',
    summary: 'Get a space and its members',
    access: 'member',
    answer: spaceAnswer,
    handle: ({ db, caller, params }) => seeSpace(db, caller, params.spaceId),
  }),
  writeRoute({
    method: 'patch',
    path: '/v1/spaces/:spaceId',
    tag: 'Spaces',
    summary: 'Rename a space',
    access: 'admin',
    status: 200,
    body: z.strictObject({ name: nameField }),
    example: { name: 'Garden' },
    answer: spaceAnswer,
    async handle({ trx, caller, params, body }) {
      await renameSpace(trx, { orgId: caller.orgId, spaceId: params.spaceId, name: body.name });
      return (await getSpace(trx, caller.orgId, params.spaceId))!;
    },
  }),
  writeRoute({
    method: 'put',
    path: '/v1/spaces/:spaceId/members/:entityId',
    tag: 'Spaces',
    summary: 'Add a human or an agent to a space',
    description: 'Adding someone who is there already changes nothing.',
    access: 'admin',
    status: 204,
    handle: ({ trx, caller, params }) => addMember(trx, { orgId: caller.orgId, ...params }),
  }),
  writeRoute({
    method: 'delete',
    path: '/v1/spaces/:spaceId/members/:entityId',
    tag: 'Spaces',
    summary: 'Remove a human or an agent from a space',
    description: 'Removing someone who is not there changes nothing.',
    access: 'admin',
    status: 204,
    handle: ({ trx, caller, params }) => removeMember(trx, { orgId: caller.orgId, ...params }),
  }),
];
