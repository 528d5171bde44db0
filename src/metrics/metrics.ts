import { createRegistry, type Counter, type Histogram } from './registry.ts';

/** What a process counts while it works. It starts at nothing with the process, as Prometheus expects of counters. */
export type Metrics = {
  httpRequests: Counter;
  thinkCycles: Counter;
  modelCalls: Counter;
  modelRetries: Counter;
  toolCalls: Counter;
  fencedWrites: Counter;
  firstPartSeconds: Histogram;
  cycleSeconds: Histogram;
  render(): string;
};

const FIRST_PART_BOUNDS = [0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64];
const CYCLE_BOUNDS = [0.1, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 900];

export function createMetrics(): Metrics {
  const registry = createRegistry();
  return {
    httpRequests: registry.counter(
      'wakeful_http_requests_total',
      'HTTP requests answered, by route and class of status.',
    ),
    thinkCycles: registry.counter('wakeful_think_cycles_total', 'Attempts at think cycles, by how they ended.'),
    modelCalls: registry.counter('wakeful_model_calls_total', 'Requests to language models, by how they ended.'),
    modelRetries: registry.counter('wakeful_model_retries_total', 'Requests to language models that were tried again.'),
    toolCalls: registry.counter(
      'wakeful_tool_calls_total',
      'Tool calls, by tool and how they ended; those answered again after a crash included.',
    ),
    fencedWrites: registry.counter(
      'wakeful_fenced_writes_total',
      'Writes refused because another attempt at the same cycle had taken over.',
    ),
    firstPartSeconds: registry.histogram(
      'wakeful_model_first_part_seconds',
      'Time from asking a model to the first part of its answer.',
      FIRST_PART_BOUNDS,
    ),
    cycleSeconds: registry.histogram(
      'wakeful_think_cycle_seconds',
      'Time an attempt at a think cycle took.',
      CYCLE_BOUNDS,
    ),
    render: () => registry.render(),
  };
}
