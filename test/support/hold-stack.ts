// A process that opens the stack and does nothing else, for tests that kill it. Prints one JSON line when it is open.
import { readConfig } from '../../src/config.ts';
import { openStack } from '../../src/stack/open-stack.ts';

const stack = await openStack(readConfig(), () => undefined);
process.stdout.write(`${JSON.stringify({ databaseUrl: stack.databaseUrl, address: stack.temporal.address })}\n`);
setInterval(() => undefined, 60_000);
