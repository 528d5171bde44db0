import type { Request, Response } from 'express';
import type { z } from 'zod';

import type { Db, Trx } from '../db/open-database.ts';
import type { Runtime } from '../runtime.ts';
import type { AdminCaller, Caller, OrgCaller, RootCaller } from './caller.ts';
import type { OpenStreams } from './open-streams.ts';

/** Who may call: nobody is let in by leaving it out, the type demands a choice. `member`: admins, and entities in their own spaces. */
export type Access = 'anyone' | 'root' | 'admin' | 'member';

type CallerOf = { anyone: undefined; root: RootCaller; admin: AdminCaller; member: OrgCaller };

/** `/v1/spaces/:spaceId` → `{ spaceId: string }`. A parameter that ends in `Id` is an id, any other a name its owner chose. */
export type PathParams<Path extends string> = Path extends `${infer Head}/${infer Tail}`
  ? PathParams<Head> & PathParams<Tail>
  : Path extends `:${infer Name}`
    ? { [Key in Name]: string }
    : unknown;

export function isIdName(parameter: string): boolean {
  return parameter.endsWith('Id');
}

type Declaration<Path extends string, Who extends Access> = {
  path: Path;
  tag: Tag;
  summary: string;
  description?: string;
  access: Who;
};

type Schema = z.ZodType | undefined;
type Read<Given extends Schema> = Given extends z.ZodType ? z.output<Given> : undefined;
type Answered<Given extends Schema> = Given extends z.ZodType ? z.input<Given> : void;

type Input<Path extends string, Who extends Access, Query extends Schema> = {
  runtime: Runtime;
  caller: CallerOf[Who];
  params: PathParams<Path>;
  query: Read<Query>;
};

export type Tag =
  | 'Organizations'
  | 'Keys'
  | 'Humans'
  | 'Agents'
  | 'Memories'
  | 'Plans'
  | 'Spaces'
  | 'Messages'
  | 'Runs'
  | 'Tools'
  | 'Server';
export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
export type Status = 200 | 201 | 202 | 204;

type AnyInput = { runtime: Runtime; caller: Caller | undefined; params: unknown; query: unknown };
type AfterCommit = (work: () => void | Promise<void>) => void;

/** A route as the app, the OpenAPI document and the tests see it. */
export type Route = Declaration<string, Access> & {
  method: Method;
  status: Status;
  query: Schema;
  body: Schema;
  example: unknown;
  answer: Schema;
  /** The answer holds a key: what is kept of it for a repeated request is sealed. */
  secret: boolean;
  /** Set when the answer is not JSON. */
  mediaType?: string;
  run:
    | { kind: 'read'; handle(input: AnyInput & { db: Db }): Promise<unknown> }
    | {
        kind: 'write';
        handle(input: AnyInput & { body: unknown; trx: Trx; afterCommit: AfterCommit }): Promise<unknown>;
      }
    | { kind: 'raw'; handle(input: AnyInput & Exchange): Promise<void> };
};

type Exchange = { request: Request; response: Response; streams: OpenStreams };

/** A GET: reads rows and answers with them. */
export function readRoute<
  const Path extends string,
  Who extends Access,
  Answer extends z.ZodType,
  Query extends Schema = undefined,
>(
  route: Declaration<Path, Who> & {
    query?: Query;
    answer: Answer;
    handle(input: Input<Path, Who, Query> & { db: Db }): Promise<Answered<Answer>>;
  },
): Route {
  const { handle, ...rest } = route;
  return erase({ ...rest, method: 'get', status: 200, run: { kind: 'read', handle } });
}

/** A change: one transaction, which a repeated `Idempotency-Key` does not run again. Use `trx` alone inside it. */
export function writeRoute<
  const Path extends string,
  Who extends Access,
  Answer extends Schema = undefined,
  Query extends Schema = undefined,
  Body extends Schema = undefined,
>(
  route: Declaration<Path, Who> & {
    method: Exclude<Method, 'get'>;
    status: Exclude<Status, 204> | (Answer extends undefined ? 204 : never);
    query?: Query;
    body?: Body;
    example?: unknown;
    answer?: Answer;
    secret?: boolean;
    handle(
      input: Input<Path, Who, Query> & { body: Read<Body>; trx: Trx; afterCommit: AfterCommit },
    ): Promise<Answered<Answer>>;
  },
): Route {
  const { handle, ...rest } = route;
  return erase({ ...rest, run: { kind: 'write', handle } });
}

/** A GET that writes its answer itself: a stream, or a page. */
export function rawRoute<const Path extends string, Who extends Access, Query extends Schema = undefined>(
  route: Declaration<Path, Who> & {
    query?: Query;
    mediaType: string;
    handle(input: Input<Path, Who, Query> & Exchange): Promise<void>;
  },
): Route {
  const { handle, ...rest } = route;
  return erase({ ...rest, method: 'get', status: 200, run: { kind: 'raw', handle } });
}

// The one place where a handler's exact types are given up: the app parses with the same schemas before it calls.
function erase(route: object): Route {
  const blank = { query: undefined, body: undefined, example: undefined, answer: undefined, secret: false };
  return { ...blank, ...route } as Route;
}
