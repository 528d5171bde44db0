import { createAgent } from '../src/agents/create-agent.ts';
import { loadAgent, type AgentConfig } from '../src/agents/load-agent.ts';
import { appendCycle } from '../src/consciousness/append-cycle.ts';
import { compactAgent } from '../src/consciousness/compact-agent.ts';
import { isTooLong } from '../src/consciousness/is-too-long.ts';
import { loadWindow } from '../src/consciousness/load-window.ts';
import { beginRun, lockHead, type Run } from '../src/cycle/begin-run.ts';
import { commitRun } from '../src/cycle/end-run.ts';
import { journalStep } from '../src/cycle/journal.ts';
import { runTool } from '../src/cycle/run-tool.ts';
import { newId } from '../src/db/id.ts';
import { createHuman } from '../src/entities/create-human.ts';
import { inboxMessage } from '../src/prompts/inbox-message.ts';
import { instructions } from '../src/prompts/instructions.ts';
import { writeCycleText } from '../src/recall/write-cycle-text.ts';
import { setActiveSpace } from '../src/spaces/active-space.ts';
import { createSpace } from '../src/spaces/create-space.ts';
import { postMessage } from '../src/spaces/post-message.ts';
import { spacesOf } from '../src/spaces/spaces-of.ts';
import { sendMessage } from '../src/tools/send-message.ts';
import { makeCycle, type MadeCycle } from './made-cycle.ts';
import { leaveTraces } from './made-traces.ts';
import type { Bench } from './open-bench.ts';

export type LivedCycle = { tokens: number; claimMs: number; loadMs: number; commitMs: number; compactMs: number };

export type MadeAgent = {
  agent: AgentConfig;
  lived(): number;
  /** Lives through cycles by writing down what they would have left. */
  age(toCycle: number): Promise<void>;
  /** One cycle by the product's own functions, without a workflow and with made words in the model's place. */
  live(): Promise<LivedCycle>;
};

// One transaction for so many made cycles: a commit each would take longer than all the rest.
const AT_ONCE = 10;

/** An agent in a room of its own, which no workflow wakes. */
export async function makeAgent(bench: Bench): Promise<MadeAgent> {
  const { orgId, runtime } = bench;
  const { db } = runtime;
  const { ana, ada, space } = await db.transaction().execute(async (trx) => {
    const human = await createHuman(trx, orgId, 'Ana');
    const created = await createAgent(trx, orgId, { name: 'Ada', instructions: 'You answer.' });
    const lobby = await createSpace(trx, { orgId, name: 'Lobby', memberIds: [human.id, created.id] });
    await setActiveSpace(trx, created.id, lobby.id);
    return { ana: human, ada: created, space: lobby };
  });
  const agent = (await loadAgent(db, ada.id))!;
  const sender = { id: ana.id, name: ana.name, kind: 'human' as const };
  const say = sendMessage(() => undefined);
  let lived = 0;

  /** Rung already, as far as anyone can tell: no dispatcher takes it for left behind. */
  const ask = ({ question }: MadeCycle): Promise<void> =>
    db.transaction().execute(async (trx) => {
      const { message } = await postMessage(trx, { orgId, spaceId: space.id, sender, text: question });
      await trx
        .updateTable('inbox_events')
        .set({ dispatched_at: new Date() })
        .where('message_id', '=', message.id)
        .where('agent_id', '=', agent.id)
        .execute();
    });

  const claim = (): ReturnType<typeof beginRun> =>
    beginRun(db, {
      agent,
      runId: newId(),
      compose: async (trx, events) => ({
        model: 'rehearsal:instant',
        instructions: instructions({ agent, spaces: await spacesOf(trx, agent.id) }),
        inboxMessage: inboxMessage(events, new Date()),
      }),
    });

  const think = async (run: Run, { generations, calls }: MadeCycle): Promise<void> => {
    const context = {
      orgId,
      agent,
      runId: run.id,
      draft: undefined,
      longestOutput: 80_000,
      afterCommit: () => undefined,
    };
    for (const [step, generation] of generations.entries()) {
      await journalStep(db, run, { step, generation, injected: [], startedAt: new Date(), firstPartMs: 1, costUsd: 0 });
      const call = calls[step];
      if (call === undefined) continue;
      await runTool(db, { run, step, ...call, longestOutput: 80_000 }, async (trx) =>
        call.name === say.name ? say.run({ ...context, trx }, { text: String(call.input['text']) }) : call.output,
      );
    }
  };

  return {
    agent,
    lived: () => lived,
    async live() {
      const made = makeCycle(lived + 1);
      await ask(made);
      const started = performance.now();
      const beginning = await claim();
      if (beginning.kind !== 'run') throw new Error(`cycle ${lived + 1} did not begin: ${beginning.kind}`);
      const claimed = performance.now();
      const { tokenEstimate } = await loadWindow(db, agent.id);
      const loaded = performance.now();
      await think(beginning.run, made);
      const thought = performance.now();
      const { generations, steps } = made;
      const ended = await commitRun(db, beginning.run, steps, { status: 'committed', reason: 'done', generations });
      const committed = performance.now();
      if (ended.compact === true) await compactAgent(db, agent);
      lived += 1;
      return {
        tokens: tokenEstimate,
        claimMs: claimed - started,
        loadMs: loaded - claimed,
        commitMs: committed - thought,
        compactMs: performance.now() - committed,
      };
    },
    async age(toCycle) {
      while (lived < toCycle) {
        const until = Math.min(toCycle, lived + AT_ONCE);
        const compact = await db.transaction().execute(async (trx) => {
          await lockHead(trx, agent);
          const place = { orgId, agentId: agent.id, humanId: ana.id, spaceId: space.id };
          await leaveTraces(trx, { ...place, from: lived + 1, to: until });
          while (lived < until) {
            lived += 1;
            const written = { orgId, agentId: agent.id, cycle: lived };
            const { question, steps } = makeCycle(lived);
            const told = { role: 'user' as const, content: `INBOX (1 event):\n[Lobby] Ana (human): "${question}"` };
            const said = steps.flatMap((step) => step.messages);
            const messages = [
              { kind: 'inbox' as const, message: told },
              ...said.map((message) => ({ kind: 'response' as const, message })),
            ];
            await appendCycle(trx, { ...written, messages });
            await writeCycleText(trx, { ...written, messages: [told, ...said] });
          }
          return isTooLong(trx, agent.id);
        });
        if (compact) await compactAgent(db, agent);
      }
    },
  };
}
