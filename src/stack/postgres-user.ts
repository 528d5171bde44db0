import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { runCommand } from './run-command.ts';
import { StackError } from './stack-error.ts';

interface UserIds {
  uid: number;
  gid: number;
}

/** As whom Postgres runs. */
export interface PostgresUser {
  /** Whose its files must be; nothing when it runs as ourselves. */
  owner: UserIds | undefined;
  /** For `spawn`; nothing when the prefix changes the user. */
  spawnAs: UserIds | undefined;
  /** What stands before its command line. */
  prefix: string[];
}

// What lets a process enter folders that its user may not. The first is the smaller right; containers often have only the second.
const CAPABILITIES = ['dac_read_search', 'dac_override'];

/** Postgres refuses to run as root. For root this finds an ordinary user who can reach the program and its data. */
export async function postgresUser(binary: string, dataDir: string): Promise<PostgresUser> {
  if (process.getuid?.() !== 0) return { owner: undefined, spawnAs: undefined, prefix: [] };
  const ids = (await ownerOf(`${dataDir}/postgres`)) ?? (await idsOf('postgres')) ?? (await idsOf('nobody'));
  if (ids === undefined) {
    throw new StackError(
      'Postgres does not run as root, and this machine has no user "postgres" or "nobody"; start Wakeful as an ordinary user or set DATABASE_URL.',
    );
  }
  if ((await mayEnter(dirname(binary), ids)) && (await mayEnter(dataDir, ids)))
    return { owner: ids, spawnAs: ids, prefix: [] };

  // A clone below /root (mode 700): keep the data there and lend the server the right to walk through.
  for (const capability of CAPABILITIES) {
    const user = ['--reuid', String(ids.uid), '--regid', String(ids.gid), '--clear-groups'];
    const rights = ['--inh-caps', `+${capability}`, '--ambient-caps', `+${capability}`];
    // Without this bit access(2), with which initdb looks for its neighbour postgres, ignores the right.
    const args = [...user, ...rights, '--securebits', '+no_setuid_fixup'];
    const tried = await runCommand('setpriv', [...args, 'test', '-x', binary]);
    if (tried.fault === undefined) return { owner: ids, spawnAs: undefined, prefix: ['setpriv', ...args] };
  }
  throw new StackError(
    `Postgres does not run as root, and other users may not enter ${dataDir}; move the clone to a folder that all may enter (such as /opt), start Wakeful as an ordinary user, or set DATABASE_URL.`,
  );
}

// Data made by one user must be served by the same one, also when a user "postgres" has appeared since.
async function ownerOf(folder: string): Promise<UserIds | undefined> {
  const found = await stat(folder).catch(() => undefined);
  return found === undefined || found.uid === 0 ? undefined : { uid: found.uid, gid: found.gid };
}

async function idsOf(user: string): Promise<UserIds | undefined> {
  const [uid, gid] = await Promise.all([runCommand('id', ['-u', user]), runCommand('id', ['-g', user])]);
  if (uid.fault !== undefined || gid.fault !== undefined) return undefined;
  return { uid: Number(uid.output), gid: Number(gid.output) };
}

async function mayEnter(folder: string, ids: UserIds): Promise<boolean> {
  const { mode, uid: owner, gid: group } = await stat(folder);
  const bit = owner === ids.uid ? 0o100 : group === ids.gid ? 0o010 : 0o001;
  if ((mode & bit) === 0) return false;
  return dirname(folder) === folder || mayEnter(dirname(folder), ids);
}
