import { defineConfig } from 'vitest/config';

// The folder says what must be running. Servers are started once for all projects that need them.
const withServers = { globalSetup: ['test/support/global-setup.ts'], testTimeout: 30_000, hookTimeout: 60_000 };

export default defineConfig({
  test: {
    // Two: the servers beside the tests want a core as well.
    maxWorkers: 2,
    projects: [
      { test: { name: 'pure', include: ['test/pure/**/*.test.ts'] } },
      { test: { name: 'postgres', include: ['test/postgres/**/*.test.ts'], ...withServers } },
      { test: { name: 'temporal', include: ['test/temporal/**/*.test.ts'], ...withServers } },
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
