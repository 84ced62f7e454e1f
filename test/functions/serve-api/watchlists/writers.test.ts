import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { alertId } from '#shared/domain/alerting/alert.ts';
import { omit } from '#shared/domain/omit.ts';
import { keyOfWrite, type Table } from '#shared/stores/table.ts';
import {
  APES,
  anAlert,
  aPostedAlert,
  aRuleBody,
  aWatch,
  aWatchlistBody,
  PUNKS,
} from '#test/support/builders.ts';
import { runsOf } from '#test/support/extent.ts';
import { ANY, world } from './world.ts';

type World = ReturnType<typeof world>;
type Answer = Awaited<ReturnType<World['ask']>>;
/** One change of the list. The number makes it different from the same change by another writer. */
type Writer = (world: World, number: number) => Promise<Answer>;

const OF_THE_FIRST = { headers: { 'If-Match': '"1"' } };
const CHANNEL = { kind: 'email', to: 'desk@example.com' };
const at = (path: Readonly<Record<string, string>>) => ({ path: { watchlist: 'punks', ...path } });
const ALERT = alertId({ tenant: 'acme', list: 'punks', rule: 'floor-60', contract: PUNKS }, 1, 1);

const WRITERS: Readonly<Record<string, Writer>> = {
  'replace the first revision': ({ ask }, number) =>
    ask('PUT punks', { ...OF_THE_FIRST, body: bodyOf({ name: `list ${number}` }) }),
  'replace whatever is there': ({ ask }, number) =>
    ask('PUT punks', { ...ANY, body: bodyOf({ name: `list ${number}`, rules: [] }) }),
  'make the list': ({ ask }, number) =>
    ask('POST', { body: bodyOf({ name: `made by ${number}` }) }),
  'delete the first revision': ({ ask }) => ask('DELETE punks', OF_THE_FIRST),
  'delete the list': ({ ask }) => ask('DELETE punks', ANY),
  'add a rule': ({ ask }, number) =>
    ask('POST punks/rules', { body: aRuleBody({ id: `rule-of-${number}` }) }),
  'add a rule under a key': ({ ask }, number) =>
    ask('POST punks/rules', {
      headers: { 'Idempotency-Key': `"${number}"` },
      body: aRuleBody({ id: `keyed-${number}`, threshold: '7' }),
    }),
  'change a rule': ({ ask }, number) =>
    ask('PUT punks/rules/{rule}', {
      ...at({ rule: 'floor-60' }),
      ...ANY,
      body: aRuleBody({ threshold: `${50 + number}` }),
    }),
  'take a rule away': ({ ask }) =>
    ask('DELETE punks/rules/{rule}', { ...at({ rule: 'floor-60' }), ...ANY }),
  'add a contract': ({ ask }, number) =>
    ask('POST punks/contracts', { body: { contract: `eth:0x${`${number}`.repeat(40)}` } }),
  'name a contract': ({ ask }, number) =>
    ask('PUT punks/contracts/{contract}', {
      ...at({ contract: APES }),
      ...ANY,
      body: { name: `Apes ${number}` },
    }),
  'take a contract away': ({ ask }) =>
    ask('DELETE punks/contracts/{contract}', { ...at({ contract: APES }), ...ANY }),
  'add a channel': ({ ask }, number) =>
    ask('POST punks/channels', { body: { ...CHANNEL, id: `desk-${number}` } }),
  'take a channel away': ({ ask }) =>
    ask('DELETE punks/channels/{channel}', { ...at({ channel: 'desk' }), ...ANY }),
  'mute the list': ({ ask }, number) =>
    ask('POST punks/mutes', { body: { for: '1h', reason: `mute ${number}` } }),
  'lift the mute': async ({ ask, mutes }) => {
    // The id of the first mute is generated, so it must be looked up.
    const known = await mutes.get({ tenant: 'acme', id: 'punks' });
    const mute = known.mutes.find(({ reason }) => reason === 'the first')?.id ?? 'none';
    return await ask('DELETE punks/mutes/{mute}', { ...at({ mute }), ...ANY });
  },
  'acknowledge the alert': ({ ask }, number) =>
    ask('POST punks/alerts/{alert}/acknowledge', {
      ...at({ alert: `${anAlert().at}~${ALERT}` }),
      body: { note: `seen by ${number}` },
    }),
};

const names = Object.keys(WRITERS);

it('the result of concurrent writers equals that of the accepted writers in some serial order', async () => {
  const runs = runsOf(150);
  let accepted = 0;
  const property = fc.asyncProperty(
    fc.scheduler(),
    fc.array(fc.constantFrom(...names), { minLength: 2, maxLength: 4 }),
    async (scheduler, writers) => {
      const side = await aWorld(scheduler);
      const ended: Done[] = [];

      await scheduler.waitFor(
        Promise.all(
          writers.map(async (name, number) => {
            const { status } = await write(side.world, name, number);
            if (status < 300) ended.push({ name, number, status });
          }),
        ),
      );
      side.stopScheduling();

      accepted += ended.length;
      if (ended.length === 0) await expectAllRefusedAlone(writers);
      const found = await seen(side.world);
      expect(await isOfSomeOrder(ended, found), JSON.stringify({ ended, found })).toBe(true);
    },
  );
  await fc.assert(property, runs);
  expect(accepted).toBeGreaterThan(runs.numRuns);
});

type Done = { readonly name: string; readonly number: number; readonly status: number };

function write(side: World, name: string, number: number): Promise<Answer> {
  const writer = WRITERS[name];
  if (writer === undefined) throw new Error(`there is no writer "${name}"`);
  return writer(side, number);
}

/** A list with every kind of part, written before the concurrent writers start. */
async function aWorld(scheduler?: fc.Scheduler) {
  let isScheduled = false;
  const side = world({}, (table) => scheduled(table, () => (isScheduled ? scheduler : undefined)));
  const { ask, watches, alerts } = side;
  await ask('POST', { body: bodyOf({}) });
  await ask('POST punks/mutes', { body: { for: '1d', reason: 'the first' } });
  await watches.put(aWatch({ version: 0, state: 'firing', episode: 1 }));
  await alerts.post(aPostedAlert(anAlert({ id: ALERT }), ['stack-topic']));
  isScheduled = scheduler !== undefined;
  return {
    world: side,
    stopScheduling: () => {
      isScheduled = false;
    },
  };
}

function bodyOf(given: object) {
  const channels = [{ ...CHANNEL, id: 'desk' }];
  return aWatchlistBody({ contracts: [PUNKS, APES], channels, ...given });
}

/** A table that executes one operation at a time, in the order of the scheduler. */
function scheduled(table: Table, scheduler: () => fc.Scheduler | undefined): Table {
  const turn = async (what: string) => {
    await scheduler()?.schedule(Promise.resolve(), what);
  };
  return {
    get: async (key) => {
      await turn(`get ${key.sk}`);
      return await table.get(key);
    },
    put: async (item, version) => {
      await turn(`put ${item.sk}`);
      await table.put(item, version);
    },
    delete: async (key, version) => {
      await turn(`delete ${key.sk}`);
      await table.delete(key, version);
    },
    transact: async (writes) => {
      await turn(`transact ${writes.map((write) => keyOfWrite(write).sk).join(' ')}`);
      await table.transact(writes);
    },
    query: async (query) => {
      await turn(`query ${query.pk}`);
      return await table.query(query);
    },
    queryThresholdIndex: table.queryThresholdIndex,
    due: table.due,
  };
}

/** All visible members of the list, except generated ids and pending work. */
async function seen({ ask }: World) {
  const { status, headers, body } = await ask('GET punks');
  if (status !== 200) return { status };
  const list = omit(body, 'pending', 'mutes');
  const { body: muted } = await ask('GET punks/mutes');
  const { body: reported } = await ask('GET punks/alerts');
  return {
    list,
    revision: String(headers.ETag).split('.')[0],
    mutes: muted.mutes.map(({ reason }: { readonly reason: string }) => reason).toSorted(),
    acknowledged: reported.alerts.map(
      ({ acknowledged }: { readonly acknowledged: unknown }) => acknowledged,
    ),
  };
}

/** Whether some serial order of the writers leads to the observed state. */
async function isOfSomeOrder(done: readonly Done[], found: object): Promise<boolean> {
  for (const order of ordersOf(done)) {
    const { world: side } = await aWorld();
    const isSame = await inOrder(side, order);
    if (isSame && isDeepStrictEqual(await seen(side), found)) return true;
  }
  return false;
}

async function inOrder(side: World, order: readonly Done[]): Promise<boolean> {
  for (const { name, number, status } of order) {
    const answer = await write(side, name, number);
    if (answer.status !== status) return false;
  }
  return true;
}

function* ordersOf<Thing>(things: readonly Thing[]): Generator<readonly Thing[]> {
  if (things.length === 0) yield [];
  for (const [index, first] of things.entries()) {
    for (const rest of ordersOf(things.toSpliced(index, 1))) yield [first, ...rest];
  }
}

/** If all writers were rejected, each of them must also be rejected when it runs alone. */
async function expectAllRefusedAlone(writers: readonly string[]): Promise<void> {
  for (const [number, name] of writers.entries()) {
    const { world: side } = await aWorld();
    const { status } = await write(side, name, number);
    expect(status, name).toBeGreaterThanOrEqual(400);
  }
}
