import { once } from 'node:events';
import { createServer } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { aFunction, world } from './world.ts';

describe('a function', () => {
  it('sees the variables of its template, what Lambda gives, and nothing else', async () => {
    const { functionIn } = await world({
      resources: { Probe: aFunction('probe', { variables: { COLOUR: 'blue' } }) },
      handlers: { probe: 'export const handler = async () => Object.keys(process.env).sort();' },
    });

    const names = await functionIn('probe').invoke({});

    expect(names).toEqual([
      'AWS_ACCESS_KEY_ID',
      'AWS_DEFAULT_REGION',
      'AWS_ENDPOINT_URL_DYNAMODB',
      'AWS_ENDPOINT_URL_SNS',
      'AWS_ENDPOINT_URL_SQS',
      'AWS_ENDPOINT_URL_SSM',
      'AWS_LAMBDA_FUNCTION_MEMORY_SIZE',
      'AWS_LAMBDA_FUNCTION_NAME',
      'AWS_REGION',
      'AWS_SECRET_ACCESS_KEY',
      'COLOUR',
      'TZ',
    ]);
  });

  it('lives in the time that the runtime sets', async () => {
    const { functionIn, clock } = await world({
      start: Date.parse('2021-08-03T00:00:00Z'),
      resources: { Probe: aFunction('probe') },
      handlers: {
        probe: `export const handler = async () => [new Date().toISOString(), new Date(Date.now()).toISOString()]
          .map((time) => time.slice(0, 10));`,
      },
    });

    const before = await functionIn('probe').invoke({});
    clock.advanceTo(Date.parse('2022-01-10T00:00:00Z'));
    const after = await functionIn('probe').invoke({});

    expect(before).toEqual(['2021-08-03', '2021-08-03']);
    expect(after).toEqual(['2022-01-10', '2022-01-10']);
  });

  it('is not busy while it only sleeps, and goes on when its time has come', async () => {
    const { functionIn, clock } = await world({
      resources: { Probe: aFunction('probe') },
      handlers: {
        probe: `import { setTimeout as sleep } from 'node:timers/promises';
          export const handler = async () => {
            const slept = await sleep(3_600_000, 'well');
            return [slept, Date.now()];
          };`,
      },
    });
    const probe = functionIn('probe');
    const answer = probe.invoke({});
    await expect.poll(() => probe.asleepUntil()).toBeDefined();
    const until = probe.asleepUntil() ?? 0;
    const busy = probe.busy();

    clock.advanceTo(until - 60_000);
    probe.wake();
    await expect.poll(() => probe.asleepUntil()).toBe(until);
    clock.advanceTo(until);
    probe.wake();
    const [slept, at] = z.tuple([z.string(), z.number()]).parse(await answer);

    expect({ busy, slept }).toEqual({ busy: 0, slept: 'well' });
    expect(at).toBeGreaterThanOrEqual(until);
    expect(probe.busy()).toBe(0);
  });

  it('is busy while it sleeps beside a request', async () => {
    const server = createServer(() => {});
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    const { port } = z.object({ port: z.number() }).parse(server.address());
    const { functionIn } = await world({
      resources: { Probe: aFunction('probe') },
      handlers: {
        probe: `import { get } from 'node:http';
          import { setTimeout as sleep } from 'node:timers/promises';
          export const handler = async () => {
            const request = get('http://127.0.0.1:${port}').on('error', () => {});
            await sleep(200);
            request.destroy();
          };`,
      },
    });
    const probe = functionIn('probe');
    let isAnswered = false;
    const answer = probe.invoke({}).then(() => {
      isAnswered = true;
    });

    let hasSlept = false;
    while (!isAnswered) {
      hasSlept ||= probe.asleepUntil() !== undefined;
      await setImmediate();
    }
    await answer;

    expect(hasSlept).toBe(false);
  });

  it('handles one event at a time in each instance, and several at once in several', async () => {
    const { functionIn } = await world({
      resources: { Probe: aFunction('probe') },
      handlers: {
        probe: `let running = 0;
          export const handler = async () => {
            running += 1;
            await new Promise((resolve) => setTimeout(resolve, 20));
            const together = running;
            running -= 1;
            return together;
          };`,
      },
    });

    const together = await Promise.all(
      [1, 2, 3, 4, 5, 6].map(() => functionIn('probe').invoke({})),
    );

    expect(together).toEqual([1, 1, 1, 1, 1, 1]);
  });

  it('fails with what its handler threw', async () => {
    const { functionIn } = await world({
      resources: { Probe: aFunction('probe') },
      handlers: {
        probe: `export const handler = async () => { throw new TypeError('no floor'); };`,
      },
    });

    await expect(functionIn('probe').invoke({})).rejects.toThrow(
      'probe failed: TypeError: no floor',
    );
  });

  it('fails when its module does not start', async () => {
    const { functionIn } = await world({
      resources: { Probe: aFunction('probe') },
      handlers: { probe: `throw new Error('WATCH_TABLE is missing');` },
    });

    await expect(functionIn('probe').invoke({})).rejects.toThrow('WATCH_TABLE is missing');
  });

  it('is ended at its timeout, and the next event finds a new instance', async () => {
    const { functionIn } = await world({
      resources: { Probe: aFunction('probe', { timeout: 1 }) },
      handlers: {
        probe: `export const handler = async (event) => {
          if (event.hang) for (;;);
          return 'fresh';
        };`,
      },
    });

    const hanging = functionIn('probe').invoke({ hang: true });

    await expect(hanging).rejects.toThrow('probe timed out after 1 s');
    expect(await functionIn('probe').invoke({})).toBe('fresh');
  });

  it('has all its time for an event, however long its module takes to start', async () => {
    const { functionIn } = await world({
      resources: { Probe: aFunction('probe', { timeout: 1 }) },
      handlers: {
        probe: `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500);
        export const handler = async () => 'started';`,
      },
    });

    expect(await functionIn('probe').invoke({})).toBe('started');
  });

  it('can be killed in the middle of an event', async () => {
    const { functionIn } = await world({
      resources: { Probe: aFunction('probe') },
      handlers: { probe: 'export const handler = () => new Promise(() => {});' },
    });

    const hanging = functionIn('probe').invoke({});
    const outcome = expect(hanging).rejects.toThrow('probe was killed');
    await functionIn('probe').kill();

    await outcome;
  });

  it('knows how much time it has left', async () => {
    const { functionIn } = await world({
      resources: { Probe: aFunction('probe', { timeout: 10 }) },
      handlers: {
        probe: `export const handler = async (event, context) =>
          [context.functionName, context.getRemainingTimeInMillis() > 5000, context.getRemainingTimeInMillis() <= 10000];`,
      },
    });

    expect(await functionIn('probe').invoke({})).toEqual(['probe', true, true]);
  });
});
