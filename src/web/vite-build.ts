/** Runs as a process of its own (see build.ts): `node vite-build.ts <out dir>`. */
import react from '@vitejs/plugin-react';
import { build } from 'vite';

const outDir = process.argv[2];
if (!outDir) throw new Error('usage: node src/web/vite-build.ts <out dir>');

await build({
  root: import.meta.dirname,
  base: '/',
  configFile: false,
  logLevel: 'warn',
  plugins: [react()],
  build: { outDir, emptyOutDir: true },
});
