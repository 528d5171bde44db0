import { defineConfig } from 'vitest/config';

// The folder says what must be running. Servers are started once for all projects that need them.
const withServers = { globalSetup: ['test/support/global-setup.ts'], testTimeout: 30_000, hookTimeout: 60_000 };

// Files share a process and its modules: loading the SDKs anew for each took a seventh of the whole run. Walks do not:
// they end processes.
export default defineConfig({
  test: {
    // More than the cores of a small machine: most tests wait for a server most of the time.
    maxWorkers: 3,
    projects: [
      { test: { name: 'pure', include: ['test/pure/**/*.test.ts'], isolate: false } },
      { test: { name: 'postgres', include: ['test/postgres/**/*.test.ts'], isolate: false, ...withServers } },
      { test: { name: 'temporal', include: ['test/temporal/**/*.test.ts'], isolate: false, ...withServers } },
      {
        test: {
          name: 'walk',
          include: ['test/walk/**/*.test.ts'],
          ...withServers,
          // They start and kill whole stacks; side by side they would measure each other.
          fileParallelism: false,
          testTimeout: 90_000,
        },
      },
    ],
  },
});
