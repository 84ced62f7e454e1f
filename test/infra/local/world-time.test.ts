import { expect, it } from 'vitest';
import { createWorldTime } from '#infra/local/world-time.ts';

const { signal } = new AbortController();

/** The time of a world, which a test advances itself. */
function aTime() {
  let instant = 0;
  const time = createWorldTime(() => instant);
  const isQuiet = async () => {
    const looking = new AbortController();
    const quiet = time.quiet(looking.signal).then(() => !looking.signal.aborted);
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    looking.abort();
    return await quiet;
  };
  return {
    ...{ time, isQuiet },
    moveTo: (next: number) => {
      instant = next;
      time.wake();
    },
  };
}

it('the world is quiet when no invocation runs', async () => {
  const { time, isQuiet } = aTime();
  const gate = Promise.withResolvers<void>();

  const work = time.during(() => gate.promise);

  expect(await isQuiet()).toBe(false);
  gate.resolve();
  await work;
  expect(await isQuiet()).toBe(true);
});

it('the world is quiet while an invocation only sleeps', async () => {
  const { time, isQuiet, moveTo } = aTime();

  const work = time.during(() => time.sleepUntil(10, signal));

  expect(await isQuiet()).toBe(true);
  expect(time.asleepUntil()).toBe(10);
  moveTo(10);
  await work;
  expect(time.asleepUntil()).toBeUndefined();
});

it('the world is not quiet while an invocation waits for a call with a timeout', async () => {
  const { time, isQuiet } = aTime();
  const call = Promise.withResolvers<void>();

  const work = time.during(() =>
    Promise.race([time.calling(() => call.promise), time.sleepUntil(10, signal)]),
  );

  expect(await isQuiet()).toBe(false);
  call.resolve();
  await work;
  expect(await isQuiet()).toBe(true);
});

it('sleeps end in the order of their times, and none ends too early', async () => {
  const { time, moveTo } = aTime();
  const woken: number[] = [];
  for (const instant of [30, 10, 20]) time.at(instant, () => woken.push(instant));

  moveTo(20);

  expect(woken).toEqual([10, 20]);
  expect(time.asleepUntil()).toBe(30);
});

it('a sleep until a past time ends immediately', async () => {
  const { time, moveTo } = aTime();
  moveTo(10);

  await time.sleepUntil(10, signal);

  expect(time.asleepUntil()).toBeUndefined();
});

it('a sleep ends when its signal is aborted', async () => {
  const { time } = aTime();
  const stopping = new AbortController();

  const sleep = time.sleepUntil(10, stopping.signal);
  stopping.abort(new Error('enough'));

  await expect(sleep).rejects.toThrow('enough');
  expect(time.asleepUntil()).toBeUndefined();
});

it('a sleep ends by itself if the clock runs in real time', async () => {
  const begun = Date.now();
  const time = createWorldTime(() => Date.now(), true);

  await time.sleepUntil(begun + 20, signal);

  expect(Date.now()).toBeGreaterThanOrEqual(begun + 19);
  expect(time.asleepUntil()).toBeUndefined();
});
