import type { Request } from 'express';

import { AppError } from '../errors.ts';
import { depthOf, unstorableStrings } from './check-json.ts';

const MOST_BYTES = 1_000_000;
// What comes beyond the limit is read and dropped for a while: a client that is cut off while it still sends
// never sees the 413. Beyond this it is cut off.
const MOST_DROPPED_BYTES = 8_000_000;
const DEEPEST = 32;

/** The JSON of a request's body. Undefined when there is no body at all. */
export async function readBody(request: Request): Promise<unknown> {
  if (!hasBody(request)) return undefined;
  checkEncoding(request);
  const text = decode(await readBytes(request));
  if (depthOf(text) > DEEPEST)
    throw new AppError('malformed-request', `the JSON is nested deeper than ${DEEPEST} levels`);
  const value = parse(text);
  const fields = unstorableStrings(value);
  if (fields.length > 0) throw new AppError('invalid-request', 'the body holds text that cannot be stored', { fields });
  return value;
}

function hasBody(request: Request): boolean {
  const { 'content-length': length, 'transfer-encoding': transfer } = request.headers;
  return transfer !== undefined || (length !== undefined && length !== '0');
}

function checkEncoding(request: Request): void {
  // A compressed body of 10 KB can hold 10 GB; nobody needs to compress 1 MB.
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    throw new AppError('unsupported-media-type', 'send the body as it is, without Content-Encoding');
  }
  const [type = '', ...parameters] = (request.headers['content-type'] ?? '').toLowerCase().split(';');
  const charset = parameters.map((parameter) => /^\s*charset="?([^"]*)"?\s*$/.exec(parameter)?.[1]).find(Boolean);
  if (type.trim() !== 'application/json' || (charset !== undefined && charset !== 'utf-8')) {
    throw new AppError('unsupported-media-type', 'send JSON, with Content-Type: application/json');
  }
}

async function readBytes(request: Request): Promise<Buffer> {
  const tooLarge = new AppError('payload-too-large', `the body is larger than ${MOST_BYTES} bytes`);
  if (Number(request.headers['content-length'] ?? 0) > MOST_DROPPED_BYTES) throw tooLarge;
  let size = 0;
  let chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MOST_DROPPED_BYTES) throw tooLarge;
    if (size <= MOST_BYTES) chunks.push(chunk);
    else chunks = [];
  }
  if (size > MOST_BYTES) throw tooLarge;
  return Buffer.concat(chunks);
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new AppError('malformed-request', 'the body is not UTF-8', { cause });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    // Without the parser's own words: they quote the body.
    throw new AppError('malformed-request', 'the body is not JSON', { cause });
  }
}
