import { valueImports, withoutComments, type Import, type SourceTree } from './source-tree.ts';

// Files at the top of src are things to run or the wiring they share, but for these, which everyone may use.
const FOR_ALL = new Set(['src/config.ts', 'src/errors.ts', 'src/log.ts', 'workflows/contract.ts']);
const WITH_CONSOLE = new Set(['src/main.ts', 'src/server.ts', 'src/worker.ts', 'src/migrate.ts']);
const READER_OF_ENVIRONMENT = 'src/config.ts';
const FOR_WORKFLOWS = new Set(['@temporalio/workflow', '@temporalio/common']);

// Values point down this list. A folder of src that is not named here is a noun.
const LEVELS = [
  'run files',
  'api and activities',
  'tools, prompts and models',
  'nouns',
  'stream',
  'db',
  'shared files',
];

/** Every breach of the direction of dependencies that DESIGN.md draws, as sentences that name file, import and rule. */
export function findBreaches(tree: SourceTree, dependencies: Set<string>): string[] {
  const imports = [...tree].flatMap(([path, text]) => valueImports(path, text));
  const ours = imports.filter(({ to }) => tree.has(to));
  return [
    ...ours.flatMap(wrongDirection),
    ...imports.flatMap(foreignToWorkflows),
    ...imports.flatMap((one) => notInstalled(one, dependencies)),
    ...cycles(ours),
    ...[...tree].flatMap(([path, text]) => forbiddenWords(path, withoutComments(text))),
  ];
}

function levelOf(path: string): number {
  if (FOR_ALL.has(path)) return 6;
  if (/^src\/[^/]+$/.test(path)) return 0;
  if (/^(src\/api|src\/web|activities|workflows)\//.test(path)) return 1;
  if (/^src\/(tools|prompts|models)\//.test(path)) return 2;
  if (path.startsWith('src/stream/')) return 4;
  return path.startsWith('src/db/') ? 5 : 3;
}

function wrongDirection({ from, to }: Import): string[] {
  if (from.startsWith('workflows/')) return []; // they have a stricter rule of their own
  const [above, below] = [levelOf(from), levelOf(to)];
  if (above > below) return [`${from} imports ${to}: ${LEVELS[above]} may not use values of ${LEVELS[below]}`];
  const apart = above === 1 && topOf(from) !== topOf(to) && below === 1;
  return apart
    ? [`${from} imports ${to}: ${topOf(from)} and ${topOf(to)} stand side by side and use what is below`]
    : [];
}

function topOf(path: string): string {
  return path.startsWith('src/') ? path.split('/').slice(0, 2).join('/') : path.split('/')[0]!;
}

function foreignToWorkflows({ from, to }: Import): string[] {
  if (!from.startsWith('workflows/') || to.startsWith('workflows/') || FOR_WORKFLOWS.has(to)) return [];
  return [`${from} imports ${to}: workflows use values of workflows/ and ${[...FOR_WORKFLOWS].join(' or ')} only`];
}

/** The image is installed without development packages; only the console page is built with them. */
function notInstalled({ from, to }: Import, dependencies: Set<string>): string[] {
  if (from.startsWith('src/web/') || to.startsWith('node:') || /^(src|activities|workflows)\//.test(to)) return [];
  const name = to
    .split('/')
    .slice(0, to.startsWith('@') ? 2 : 1)
    .join('/');
  return dependencies.has(name) ? [] : [`${from} imports ${to}: what runs must be in "dependencies" of package.json`];
}

function cycles(imports: Import[]): string[] {
  const targets = Map.groupBy(imports, ({ from }) => from);
  const finished = new Set<string>();
  const found: string[] = [];
  const visit = (path: string, trail: string[]): void => {
    if (trail.includes(path)) {
      found.push(`${[...trail.slice(trail.indexOf(path)), path].join(' → ')}: imports may not run in a circle`);
      return;
    }
    if (finished.has(path)) return;
    for (const { to } of targets.get(path) ?? []) visit(to, [...trail, path]);
    finished.add(path);
  };
  for (const path of targets.keys()) visit(path, []);
  return found;
}

function forbiddenWords(path: string, code: string): string[] {
  const faults: string[] = [];
  const environment =
    /\bprocess\s*(\.|\?\.)\s*env\b|\bprocess\[|\benv\b[^;\n]*\}\s*=\s*process\b|['"](node:)?process['"]/;
  if (path !== READER_OF_ENVIRONMENT && environment.test(code)) {
    faults.push(`${path} reads process.env: only ${READER_OF_ENVIRONMENT} does, and names every fault at start`);
  }
  if (!WITH_CONSOLE.has(path) && /(?<![\w./'"-])console\s*\.\s*\w+\s*\(/.test(code)) {
    faults.push(`${path} writes to the console: only run files do; elsewhere use the log`);
  }
  return faults;
}
