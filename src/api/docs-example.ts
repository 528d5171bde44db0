import { resolveReference } from './docs-document.ts';
import type { OpenApi, Operation, Schema } from './docs-document.ts';

// Deep enough for every body of ours, and an end for types that contain themselves.
const DEEPEST = 5;

/** A command that can be pasted into a shell once the two variables are set. */
export function curlExample(document: OpenApi, method: string, path: string, operation: Operation): string {
  const address = path.replace(/\{([^}]+)\}/g, (_whole, name: string) => `<${name}>`);
  const lines = [
    `curl ${streams(operation) ? '-N ' : ''}-X ${method.toUpperCase()} "$WAKEFUL_URL${inQuotes(address)}"`,
  ];
  if ((operation.security ?? document.security ?? []).length > 0) {
    lines.push('-H "Authorization: Bearer $WAKEFUL_API_KEY"');
  }
  const body = operation.requestBody && resolveReference(document, operation.requestBody);
  const json = body?.content?.['application/json'];
  if (json) {
    const value = json.example ?? exampleOf(document, json.schema, 0);
    lines.push("-H 'Content-Type: application/json'", `-d ${quote(JSON.stringify(value))}`);
  }
  return lines.join(' \\\n  ');
}

function streams(operation: Operation): boolean {
  return Object.values(operation.responses ?? {}).some((answer) => answer.content?.['text/event-stream']);
}

/** The smallest value the schema asks for: required fields only, or all when none is required. */
function exampleOf(document: OpenApi, given: Schema | boolean | undefined, depth: number): unknown {
  if (typeof given !== 'object' || depth > DEEPEST) return {};
  const schema = resolveReference(document, given);
  if (!schema) return {};
  const ready = schema.example ?? schema.examples?.[0] ?? schema.const ?? schema.enum?.[0] ?? schema.default;
  if (ready !== undefined) return ready;

  const choice = schema.anyOf?.[0] ?? schema.oneOf?.[0];
  if (choice) return exampleOf(document, choice, depth + 1);
  if (schema.allOf) {
    return Object.assign({}, ...schema.allOf.map((part) => exampleOf(document, part, depth + 1))) as unknown;
  }
  switch ([schema.type].flat()[0] ?? (schema.properties ? 'object' : undefined)) {
    case 'string':
      return schema.format === 'uuid' ? '00000000-0000-7000-8000-000000000000' : '…';
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    case 'array':
      return [exampleOf(document, schema.items, depth + 1)];
    default: {
      const names = schema.required ?? Object.keys(schema.properties ?? {});
      return Object.fromEntries(names.map((name) => [name, exampleOf(document, schema.properties?.[name], depth + 1)]));
    }
  }
}

function inQuotes(text: string): string {
  return text.replace(/["$`\\]/g, '\\$&');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
