import { z } from 'zod';

import { createKey } from '../../keys/create-key.ts';
import { createOrganization } from '../../organizations/create-organization.ts';
import { idField, nameField } from '../fields.ts';
import { writeRoute } from '../route.ts';

export const organizationRoutes = [
  writeRoute({
    method: 'post',
    path: '/v1/organizations',
    tag: 'Organizations',
    summary: 'Create an organisation and its first admin key',
    description: 'Only with `WAKEFUL_ROOT_KEY`. The admin key is shown this once.',
    access: 'root',
    status: 201,
    secret: true,
    body: z.strictObject({ name: nameField }),
    example: { name: 'Acme' },
    answer: z.strictObject({ id: idField, name: z.string(), adminKey: z.string() }),
    async handle({ trx, body }) {
      const organization = await createOrganization(trx, body.name);
      const { key } = await createKey(trx, { orgId: organization.id });
      return { ...organization, adminKey: key };
    },
  }),
];
