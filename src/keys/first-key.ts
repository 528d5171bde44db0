import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Config } from '../config.ts';
import { newKey } from './create-key.ts';

/** The admin key of a first start: the one the user chose, or one of our own that the data folder keeps for later starts. */
export async function firstKey(
  config: Pick<Config, 'apiKey' | 'dataDir'>,
  isUsable: (key: string) => Promise<boolean>,
): Promise<string> {
  if (config.apiKey !== undefined) return config.apiKey;
  const file = join(config.dataDir, 'api-key');
  const kept = await readKey(file);
  if (kept !== undefined && (await isUsable(kept))) return kept;
  const key = newKey();
  await mkdir(config.dataDir, { recursive: true });
  // Written aside and renamed: half a key in the file would lock its owner out.
  await writeFile(`${file}.new`, `${key}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
  return key;
}

async function readKey(file: string): Promise<string | undefined> {
  try {
    const key = (await readFile(file, 'utf8')).trim();
    return key === '' ? undefined : key;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
