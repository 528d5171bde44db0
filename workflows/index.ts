export { agent } from './agent.ts';
export { plan } from './plan.ts';
