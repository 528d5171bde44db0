import type { Route } from '../route.ts';
import { agentRoutes } from './agents.ts';
import { deadLetterRoutes } from './dead-letters.ts';
import { docsRoutes } from './docs.ts';
import { exportRoutes } from './export.ts';
import { forkRoutes } from './forks.ts';
import { goalRoutes } from './goals.ts';
import { humanRoutes } from './humans.ts';
import { keyRoutes } from './keys.ts';
import { memoryRoutes } from './memories.ts';
import { messageRoutes } from './messages.ts';
import { metricsRoutes } from './metrics.ts';
import { organizationRoutes } from './organizations.ts';
import { planRoutes } from './plans.ts';
import { recallRoutes } from './recall.ts';
import { runRoutes } from './runs.ts';
import { serverRoutes } from './server.ts';
import { spaceRoutes } from './spaces.ts';
import { toolCallRoutes } from './tool-calls.ts';
import { toolRoutes } from './tools.ts';
import { usageRoutes } from './usage.ts';

const declared: Route[] = [
  ...organizationRoutes,
  ...keyRoutes,
  ...humanRoutes,
  ...agentRoutes,
  ...forkRoutes,
  ...exportRoutes,
  ...memoryRoutes,
  ...goalRoutes,
  ...planRoutes,
  ...spaceRoutes,
  ...messageRoutes,
  ...runRoutes,
  ...recallRoutes,
  ...usageRoutes,
  ...deadLetterRoutes,
  ...toolRoutes,
  ...toolCallRoutes,
  ...serverRoutes,
  ...metricsRoutes,
];

/** Every call there is. A route that is not in this table is not served. */
export const ROUTES: readonly Route[] = [...declared, ...docsRoutes(declared)];
