import { z } from 'zod';

import { resolvedSettingsSchema } from '../../agents/settings.ts';
import { idField, timeField } from '../fields.ts';

export const agentAnswer = z
  .strictObject({
    id: idField,
    name: z.string(),
    instructions: z.string(),
    model: z.string().nullable(),
    tools: z.array(z.string()).nullable(),
    settings: resolvedSettingsSchema,
    activeSpaceId: idField.nullable(),
    forkedFrom: idField.nullable(),
    forkedAtCycle: z.number().int().nullable(),
    status: z.enum(['asleep', 'thinking']),
    version: z.number().int(),
    createdAt: timeField,
    updatedAt: timeField,
  })
  .meta({ id: 'Agent' });
