import type { Db } from '../db/open-database.ts';
import type { Embedder } from './embedder.ts';
import type { Found, Scope } from './found.ts';
import { inboxWords } from './inbox-words.ts';
import { questionVector, toQuestion } from './question-vector.ts';
import { searchVectors } from './search-vectors.ts';

const MOST = 50;
const NO_CYCLE = 0;

/** Memories of an agent and its organisation whose meaning is near to what waits in the inbox, nearest first. */
export async function nearMemories(db: Db, embedder: Embedder, scope: Scope): Promise<Found[]> {
  const question = toQuestion(await inboxWords(db, scope.agentId));
  const vector = question === '' ? undefined : await questionVector(embedder, question);
  if (vector === undefined) return [];
  return searchVectors(db, { ...scope, before: NO_CYCLE }, { vector, embedder }, MOST);
}
