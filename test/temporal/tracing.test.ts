import { APICallError } from 'ai';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { startOtlpCollector, type OtlpCollector, type Span } from '../support/otlp-collector.ts';
import { reply, scriptedModel, scriptedModels } from '../support/scripted-model.ts';
import { eventually, openWorld, type World } from '../support/world.ts';

let world: World;
let collector: OtlpCollector;
beforeEach(async () => {
  collector = await startOtlpCollector();
});
afterEach(async () => {
  await world.close();
  await collector.close();
});

const SECRETS = /swordfish|marzipan|You are Ada|tangerine|nectarine/;

/** A cycle of three steps and two tools, in which secret words are said by everyone. */
async function traced(environment: Record<string, string>): Promise<{ agentId: string; runId: string }> {
  const model = scriptedModel(
    (prompt) =>
      reply({ call: 'enter_space', input: { spaceId: /space ([0-9a-f-]{36})/.exec(JSON.stringify(prompt))![1]! } }),
    reply({ text: 'thinking of tangerine' }, { call: 'send_message', input: { text: 'marzipan' } }),
    reply({ call: 'enter_space', input: { spaceId: 'nectarine' }, id: 'wrong' }),
    reply({ text: 'Done.' }),
  );
  world = await openWorld({
    models: scriptedModels({ 'test:default': model }),
    environment: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...environment },
  });
  const ana = await world.human('Ana');
  const ada = await world.agent('Ada');
  await world.say(ana, await world.space('Lobby', [ana, ada]), 'swordfish');
  await world.settled(ada);
  const run = await world.runtime.db.selectFrom('runs').select(['id', 'status']).executeTakeFirstOrThrow();
  expect(run.status).toBe('committed');
  await world.runtime.tracing.close(); // sends what is held back
  return { agentId: ada.id, runId: run.id };
}

const named = (name: string): Span[] => collector.spans().filter((span) => span.name === name);

test('a cycle yields spans for itself, its steps and its tools, with ids and sizes and not a word of what was said (TC-07, TC-47, TC-48)', async () => {
  const { agentId, runId } = await traced({ OTEL_EXPORTER_OTLP_HEADERS: 'x-key=abc' });
  const spans = collector.spans();
  expect(new Set(spans.map((span) => span.traceId)).size).toBe(1);

  const [cycle] = named('wakeful.cycle');
  expect(cycle!.attributes).toMatchObject({
    'wakeful.agent_id': agentId,
    'wakeful.run_id': runId,
    'wakeful.cycle': 1,
    'wakeful.attempt': 1,
    'wakeful.model': 'test:default',
    'wakeful.inbox_size': 1,
    'wakeful.consciousness_tokens': 0,
    'wakeful.outcome': 'committed',
  });

  const functionId = `agent-${agentId}-cycle-1`;
  const [call] = named(`invoke_agent ${functionId}`);
  expect(call).toMatchObject({ parentSpanId: cycle!.spanId });
  expect(call!.attributes).toMatchObject({
    'gen_ai.agent.name': functionId,
    'ai.settings.context.agentId': agentId,
    'ai.settings.context.cycleCount': '1',
    'ai.settings.context.inboxSize': '1',
    'ai.settings.context.consciousnessTokens': '0',
  });

  const steps = named('wakeful.step');
  expect(steps.map((span) => span.attributes['wakeful.step'])).toEqual([0, 1, 2, 3]);
  for (const { attributes } of steps) {
    expect(attributes).toMatchObject({ 'wakeful.input_tokens': 10, 'wakeful.output_tokens': 5 });
    expect(attributes['wakeful.first_part_ms']).toBeGreaterThanOrEqual(0);
    expect(attributes['wakeful.output_tokens_per_second']).toBeGreaterThan(0);
  }

  const tools = named('wakeful.tool').map(({ attributes }) => attributes);
  expect(tools.map((tool) => tool['wakeful.tool'])).toEqual(['enter_space', 'send_message', 'enter_space']);
  expect(tools[1]).toMatchObject({ 'wakeful.step': 1, 'wakeful.input_characters': '{"text":"marzipan"}'.length });
  expect(tools[1]!['wakeful.output_characters']).toBeGreaterThan(0);
  expect(named('wakeful.tool').map((span) => span.status.code)).toEqual([0, 0, 2]);

  expect(collector.raw()).not.toMatch(SECRETS);
  expect(collector.headers()[0]).toMatchObject({ 'x-key': 'abc' });
});

test('the only time to the first part in a trace is the true one', async () => {
  await traced({});
  expect(collector.raw()).not.toContain('time_to_first_chunk');
  expect(named('wakeful.step')[0]!.attributes['wakeful.first_part_ms']).toBeLessThan(1_000);
});

test('when asked for, prompts, messages and tool traffic are in the trace (TC-48, TC-49)', async () => {
  await traced({ WAKEFUL_TRACE_CONTENT: 'true' });
  const text = collector.raw();
  for (const word of ['swordfish', 'marzipan', 'You are Ada', 'tangerine', 'nectarine']) expect(text).toContain(word);
});

test('a cycle that the model refuses is a failed span that does not quote the refusal', async () => {
  const refusing = scriptedModel(() => {
    throw new APICallError({ message: 'no swordfish here', statusCode: 400, url: 'http://x', requestBodyValues: {} });
  });
  world = await openWorld({
    models: scriptedModels({ 'test:default': refusing }),
    retryMs: 60_000,
    environment: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
  });
  const ana = await world.human('Ana');
  const ada = await world.agent('Ada');
  await world.say(ana, await world.space('Lobby', [ana, ada]), 'Hello');
  await eventuallyFailed();
  await world.runtime.tracing.close();
  expect(named('wakeful.step')[0]).toMatchObject({
    status: { code: 2 },
    attributes: { 'error.type': 'model-refused' },
  });
  expect(named('wakeful.cycle')[0]!.attributes['wakeful.outcome']).toBe('retrying');
  expect(collector.raw()).not.toMatch(SECRETS);
});

test('a collector that is away disturbs nothing', async () => {
  await collector.close();
  await traced({});
  collector = await startOtlpCollector();
  expect(await world.runtime.db.selectFrom('runs').select('status').execute()).toEqual([{ status: 'committed' }]);
});

async function eventuallyFailed(): Promise<void> {
  await eventually('the cycle has failed once', 20_000, async () => {
    const run = await world.runtime.db.selectFrom('runs').select('failures').executeTakeFirst();
    return run?.failures === 1 && world.runtime.metrics.render().includes('outcome="retrying"');
  });
}
