import { defineConfig } from 'vitest/config';

/** Long enough for a machine with much else to do: what hangs is to fail, not what is slow. */
const PATIENCE = 300_000;

export default defineConfig({
  test: { include: ['test/**/*.test.ts'], testTimeout: PATIENCE, hookTimeout: PATIENCE },
});
