import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { runCommand } from './run-command.ts';
import { StackError } from './stack-error.ts';
import type { Progress } from './stack-error.ts';

/** The release that this version of Wakeful was tested with. */
export const TEMPORAL_VERSION = '1.9.1';

// Short: behind a firewall the address swallows packets, and there is a second source.
const ANSWER_MILLISECONDS = 5_000;
const ARCHIVE_MILLISECONDS = 180_000;

const downloadInfo = z.object({ archiveUrl: z.url({ protocol: /^https$/ }), fileToExtract: z.string() });

/** Fetches the CLI from Temporal's own download service, the one that the Temporal SDKs use. */
export async function downloadTemporal(folder: string, progress: Progress): Promise<string> {
  try {
    const { archiveUrl, fileToExtract } = await askForArchive();
    progress(`downloading ${archiveUrl}`);
    const archive = join(folder, 'temporal.tar.gz');
    const answer = await fetch(archiveUrl, { signal: AbortSignal.timeout(ARCHIVE_MILLISECONDS) });
    if (!answer.ok) throw new Error(`it answered ${answer.status}`);
    await writeFile(archive, new Uint8Array(await answer.arrayBuffer()));
    const unpacked = await runCommand('tar', ['-xzf', archive, '-C', folder, fileToExtract], {
      timeoutMilliseconds: ARCHIVE_MILLISECONDS,
    });
    if (unpacked.fault !== undefined) throw new Error(unpacked.fault.message);
    return join(folder, fileToExtract);
  } catch (error) {
    throw new StackError(`the download from temporal.download failed (${reasonOf(error)})`, { cause: error });
  }
}

async function askForArchive(): Promise<z.infer<typeof downloadInfo>> {
  const address = new URL(`https://temporal.download/cli/v${TEMPORAL_VERSION}`);
  address.searchParams.set('platform', process.platform === 'win32' ? 'windows' : process.platform);
  address.searchParams.set('arch', process.arch === 'x64' ? 'amd64' : process.arch);
  address.searchParams.set('format', 'tar.gz');
  const answer = await fetch(address, { signal: AbortSignal.timeout(ANSWER_MILLISECONDS) });
  if (!answer.ok) throw new Error(`it answered ${answer.status}`);
  return downloadInfo.parse(await answer.json());
}

// `fetch` hides the reason one level down: "fetch failed", caused by "getaddrinfo ENOTFOUND".
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? error.cause.message : '';
  return cause || error.message;
}
