import { Connection } from '@temporalio/client';
import { Client } from 'pg';
import type { Config } from '../config.ts';
import { StackError } from './stack-error.ts';

const PATIENCE_MILLISECONDS = 5_000;

/** Makes sure that the Postgres the user named answers, before anything else is started. */
export async function checkDatabase(databaseUrl: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: PATIENCE_MILLISECONDS });
  client.on('error', () => undefined); // the query below reports it
  try {
    await client.connect();
    await client.query('select 1');
  } catch (error) {
    // Host and database only: the URL holds a password.
    const { host, pathname } = new URL(databaseUrl);
    throw new StackError(
      `Postgres at ${host} (database ${pathname.slice(1) || 'not named'}) cannot be used: ${reasonOf(error)}; start it, correct DATABASE_URL, or unset it to let Wakeful start its own.`,
      { cause: error },
    );
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Makes sure that the Temporal server the user named answers and has the namespace. */
export async function checkTemporal(temporal: Config['temporal'] & { address: string }): Promise<void> {
  const { address, namespace, apiKey, tls = apiKey !== undefined } = temporal;
  let connection: Connection | undefined;
  try {
    connection = await Connection.connect({
      address,
      tls,
      connectTimeout: PATIENCE_MILLISECONDS,
      ...(apiKey === undefined ? {} : { apiKey }),
    });
    await connection.workflowService.describeNamespace({ namespace });
  } catch (error) {
    throw new StackError(
      `Temporal at ${address} (namespace ${namespace}) cannot be used: ${reasonOf(error)}; start it, correct TEMPORAL_ADDRESS, or unset it to let Wakeful start its own.`,
      { cause: error },
    );
  } finally {
    await connection?.close();
  }
}

// A refused connection to a name with two addresses has an empty message of its own and one in each part.
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return reasonOf(error.errors[0]);
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}
