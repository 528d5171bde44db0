export { agent } from './agent.ts';
