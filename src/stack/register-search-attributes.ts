import type { Connection } from '@temporalio/client';

import { searchAttributes } from '../../workflows/contract.ts';

// IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD of Temporal's API.
const KEYWORD = 2;

/** Adds the search attributes that are missing, so that a fresh server needs no preparation. */
export async function registerSearchAttributes(connection: Connection, namespace: string): Promise<void> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const missing = Object.values(searchAttributes)
    .map((attribute) => attribute.name)
    .filter((name) => !(name in customAttributes));
  if (missing.length === 0) return;
  await connection.operatorService.addSearchAttributes({
    namespace,
    searchAttributes: Object.fromEntries(missing.map((name) => [name, KEYWORD])),
  });
}
