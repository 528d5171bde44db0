import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PostgresUser } from './postgres-user.ts';
import { runCommand } from './run-command.ts';
import { StackError } from './stack-error.ts';
import type { Progress } from './stack-error.ts';

export const SUPERUSER = 'wakeful';

interface ClusterOptions {
  initdb: string;
  dataDir: string;
  user: PostgresUser;
  progress: Progress;
}

/** Makes the files of an empty Postgres in the data folder, unless they are there; hands back folder and password. */
export async function createCluster(options: ClusterOptions): Promise<{ folder: string; password: string }> {
  const { initdb, dataDir, user, progress } = options;
  const folder = join(dataDir, 'postgres');
  const passwordFile = join(dataDir, 'postgres-password');
  if (existsSync(folder)) return { folder, password: await readPassword(passwordFile) };

  progress('creating the Postgres database');
  const password = randomBytes(24).toString('base64url');
  await writeFile(passwordFile, password, { mode: 0o600 });
  // Made beside its place and renamed at the end: a start that was killed half-way leaves nothing that looks finished.
  const draft = `${folder}.new`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { mode: 0o700 });
  if (user.owner !== undefined) {
    await chown(draft, user.owner.uid, user.owner.gid);
    await chown(passwordFile, user.owner.uid, user.owner.gid);
  }
  const [program, ...args] = [
    ...user.prefix,
    initdb,
    '-D',
    draft,
    '-U',
    SUPERUSER,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // The built-in locale sorts the same on every machine, whatever its C library.
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
  ];
  const made = await runCommand(program, args, { timeoutMilliseconds: 120_000, user: user.spawnAs });
  if (made.fault !== undefined) {
    await rm(draft, { recursive: true, force: true });
    throw new StackError(`Postgres could not create its files in ${folder}: ${made.fault.message}`);
  }
  await rename(draft, folder);
  return { folder, password };
}

async function readPassword(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    throw new StackError(
      `The password of the Postgres in this data folder cannot be read from ${file}; put the file back, or move the folder "postgres" beside it away to begin with an empty database.`,
      { cause: error },
    );
  }
}
