import { expect, it, onTestFinished } from 'vitest';
import { closeServer, listen } from '#infra/local/runtime/loopback.ts';
import { createSecrets } from '#shared/clients/secrets.ts';
import { SECOND } from '#shared/domain/market/instant.ts';
import { NOON } from '#test/support/builders.ts';
import { createParameterServer } from '#test/support/parameter-server.ts';
import { createSeededRandom } from '#test/support/seeded-random.ts';

const NAME = '/floorwatch/upstream-key';
const OTHER = '/floorwatch/link-key';
const values = new Map([
  [NAME, 's3cret'],
  [OTHER, 'k3y'],
]);

it.each([1, 2, 3])(
  '200 instances that start together read their secrets in an account with 40 reads a second (seed %i)',
  async (seed) => {
    const time = createVirtualTime();
    const server = createParameterServer(values, time.now);
    const environment = {
      ...{ AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'AKID', AWS_SECRET_ACCESS_KEY: 'secret' },
      AWS_ENDPOINT_URL_SSM: await listen(server),
    };
    onTestFinished(() => closeServer(server));
    const { below } = createSeededRandom(seed);
    const instances = Array.from({ length: 200 }, async () => {
      const secret = createSecrets(environment, { ...time, random: () => below(1000) / 1000 });
      return await Promise.all([secret(NAME), secret(OTHER)].map((read) => read(false)));
    });

    const read = await time.passUntil(instances);

    expect(read).toEqual(Array.from({ length: 200 }, () => [...values.values()]));
    expect(time.now() - NOON).toBeLessThan(7 * SECOND);
  },
);

/** Virtual time: once all tasks sleep, it jumps to the next instant at which a task wakes. */
function createVirtualTime() {
  let now = NOON;
  let sleepers: readonly { readonly instant: number; readonly wake: () => void }[] = [];
  return {
    now: () => now,
    sleepUntil: (instant: number) =>
      new Promise<void>((wake) => {
        sleepers = [...sleepers, { instant, wake }];
      }),
    /**
     * Advances time until all tasks have ended. A task must never have two sleeps at the same time.
     */
    passUntil: async <Result>(tasks: readonly Promise<Result>[]): Promise<readonly Result[]> => {
      let ended = 0;
      const end = () => {
        ended += 1;
      };
      for (const task of tasks) task.then(end, end);
      while (ended < tasks.length) {
        await new Promise((resolve) => setImmediate(resolve));
        if (sleepers.length === 0 || sleepers.length + ended < tasks.length) continue;
        now = Math.min(...sleepers.map(({ instant }) => instant));
        const due = sleepers.filter(({ instant }) => instant <= now);
        sleepers = sleepers.filter(({ instant }) => instant > now);
        for (const { wake } of due) wake();
      }
      return await Promise.all(tasks);
    },
  };
}
