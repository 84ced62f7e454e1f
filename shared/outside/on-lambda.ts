import { now, sleepUntil } from '#shared/runtime/clock.ts';
import { createLog } from '#shared/runtime/log.ts';
import { nodeCrypto } from '#shared/runtime/node-crypto.ts';
import { uniqueNumber } from '#shared/runtime/unique-number.ts';
import type { Basics } from './outside.ts';

/** The members of `Outside` that every function on Lambda uses. */
export const onLambda: Basics = {
  // biome-ignore lint/style/noProcessEnv: the one place where the environment is read
  variables: process.env,
  now,
  wallClock: now,
  sleepUntil,
  // Long enough to log the timeout.
  earlyAbortMs: 5,
  random: Math.random,
  randomBytes: (size) => nodeCrypto().randomBytes(size),
  uniqueNumber,
  logOf: createLog,
};
