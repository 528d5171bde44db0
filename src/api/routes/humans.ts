import { z } from 'zod';

import { createHuman } from '../../entities/create-human.ts';
import { getHuman, listHumans } from '../../entities/list-humans.ts';
import { idField, nameField, timeField } from '../fields.ts';
import { pageOf, pageQuery, toPage, toPageRequest } from '../page.ts';
import { readRoute, writeRoute } from '../route.ts';

const humanAnswer = z.strictObject({ id: idField, name: z.string(), createdAt: timeField }).meta({ id: 'Human' });

export const humanRoutes = [
  writeRoute({
    method: 'post',
    path: '/v1/humans',
    tag: 'Humans',
    summary: 'Create a human',
    access: 'admin',
    status: 201,
    body: z.strictObject({ name: nameField }),
    example: { name: 'Ana' },
    answer: humanAnswer,
    handle: ({ trx, caller, body }) => createHuman(trx, caller.orgId, body.name),
  }),
  readRoute({
    path: '/v1/humans',
    tag: 'Humans',
    summary: 'List the humans',
    access: 'admin',
    query: pageQuery,
    answer: pageOf(humanAnswer),
    handle: async ({ db, caller, query }) => toPage(await listHumans(db, caller.orgId, toPageRequest(query))),
  }),
  readRoute({
    path: '/v1/humans/:humanId',
    tag: 'Humans',
    summary: 'Get a human',
    access: 'admin',
    answer: humanAnswer,
    handle: ({ db, caller, params }) => getHuman(db, caller.orgId, params.humanId),
  }),
];
