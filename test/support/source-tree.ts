import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** Path from the repository's root, with slashes → the file's text. */
export type SourceTree = Map<string, string>;

export type Import = { from: string; to: string };

/** All source files of these folders. */
export function readSourceTree(root: string, folders: string[]): SourceTree {
  const present = folders.filter((folder) => existsSync(join(root, folder)));
  const paths = present.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.tsx?$/.test(path))
      .map((path) => `${folder}/${path.replaceAll('\\', '/')}`),
  );
  return new Map(paths.toSorted().map((path) => [path, readFileSync(join(root, path), 'utf8')]));
}

// Statements begin a line, as the formatter puts them; a dynamic import may stand anywhere.
const STATEMENT = /^(?:import|export)\b(?<clause>[^;'"`]*?)\bfrom\s*['"](?<target>[^'"]+)['"]/gm;
const BARE = /^import\s*['"](?<target>[^'"]+)['"]/gm;
const DYNAMIC = /\bimport\(\s*['"](?<target>[^'"]+)['"]\s*\)/g;

/** What a file imports or re-exports at run time; types are gone by then. Paths of ours count from the root. */
export function valueImports(path: string, text: string): Import[] {
  const code = withoutComments(text);
  const statements = [...code.matchAll(STATEMENT)].filter(({ groups }) => !isTypeOnly(groups?.['clause'] ?? ''));
  const targets = [...statements, ...code.matchAll(BARE), ...code.matchAll(DYNAMIC)].map(
    ({ groups }) => groups?.['target'] ?? '',
  );
  return targets.map((target) => ({
    from: path,
    to: target.startsWith('.') ? normalize(join(dirname(path), target)).replaceAll('\\', '/') : target,
  }));
}

export function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '$1');
}

function isTypeOnly(clause: string): boolean {
  if (/^\s*type\b/.test(clause)) return true;
  const names = /^\s*\{(?<names>[^}]*)\}\s*$/.exec(clause)?.groups?.['names'];
  if (names === undefined) return false;
  return names.split(',').every((name) => name.trim() === '' || /^\s*type\s/.test(name));
}
