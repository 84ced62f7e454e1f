import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { notifyTogether, subjectOf } from '#functions/notify-watchers/notify-together.ts';
import { runContracts } from '#functions/run-contracts/run-contracts.ts';
import { ContractMessage } from '#shared/domain/messages/contract-message.ts';
import { listGroup } from '#shared/domain/messages/groups.ts';
import { ListMessage } from '#shared/domain/messages/list-message.ts';
import { eth, PUNKS } from '#test/support/builders.ts';
import { createWorld, type World } from '#test/support/world.ts';

const { signal } = new AbortController();
const WATCHES = 8;

function aList(threshold: string): Parameters<World['putList']>[0] {
  const rules = Array.from({ length: WATCHES }, (_, index) => ({
    ...{ id: `rule-${index}`, metric: 'floor_price', when: 'below' as const, threshold },
    severity: index === 0 ? ('critical' as const) : ('warning' as const),
  }));
  const channels = [{ id: 'desk', kind: 'email' as const, to: 'desk@example.com' }];
  return { id: 'mine', name: 'Mine', contracts: [PUNKS], rules, channels };
}

/** Handles what waits for contracts, and nothing that comes of it. */
async function runAll(world: World): Promise<void> {
  for (const { body } of world.queues.contracts.waiting.splice(0)) {
    const message = ContractMessage.parse(JSON.parse(body));
    await runContracts(world.runContractsPorts(), message, signal);
  }
}

/** A list whose watches have all fired, and the messages about them that nobody has handled yet. */
async function fired(): Promise<{ readonly world: World; readonly messages: ListMessage[] }> {
  const world = createWorld({ cadenceMinutes: 1, operatorAlerts: 'none' });
  const floorIs = (price: string) => {
    const point = { time: world.now(), price: eth(price), currency: 'eth', marketplaces: [] };
    world.answers.floor = () => ({ kind: 'ok', value: [point] });
  };
  floorIs('65');
  await world.putList(aList('60'));
  for (let minute = 0; minute < 2; minute += 1) await world.tick();
  floorIs('50');
  await world.dispatch();
  await runAll(world);
  const bodies = world.queues.lists.waiting.splice(0).map(({ body }) => JSON.parse(body));
  return { world, messages: bodies.map((body) => ListMessage.parse(body)) };
}

it('watches of a list that fire at once are posted side by side, with one reading of the list and one hint', async () => {
  const { world, messages } = await fired();
  const { notify } = world.ports;
  let readings = 0;
  const getWatchlist: typeof notify.getWatchlist = async (id) => {
    readings += 1;
    return await notify.getWatchlist(id);
  };
  // No two of them come to their end together.
  const getWatch: typeof notify.getWatch = async (id) => {
    for (let pause = 0; pause < Number(id.rule.slice('rule-'.length)); pause += 1) {
      await setImmediate();
    }
    return await notify.getWatch(id);
  };
  const handle = notifyTogether({ ...notify, getWatchlist, getWatch });

  expect(new Set(messages.map(subjectOf)).size).toBe(WATCHES);
  await Promise.all(messages.map(handle));

  expect(readings).toBe(1);
  expect(world.queues.channels.waiting).toHaveLength(1);
  await world.drain();
  const told = world.published.map(({ alert }) => alert.rule);
  expect(told.toSorted()).toEqual(Array.from({ length: WATCHES }, (_, index) => `rule-${index}`));
});

it('what is critical waits for no others of its list', async () => {
  const { messages } = await fired();

  const urgent = messages.filter((message) => message.kind === 'watch' && message.isUrgent);
  expect(urgent).toMatchObject([{ rule: 'rule-0' }]);
  const groups = new Set(messages.map((message) => [listGroup(message), urgent.includes(message)]));
  expect(new Set([...groups].map(([group]) => group)).size).toBe(2);
});

it('a list that was read before its watches were changed is read again', async () => {
  const { world, messages } = await fired();
  const handle = notifyTogether(world.ports.notify);
  const [first, ...others] = messages;
  if (first === undefined) throw new Error('nothing has fired');
  await handle(first);
  await world.putList(aList('55'));
  await runAll(world);

  for (const message of others) await handle(message);
  world.queues.lists.waiting.splice(0);
  await world.drain();

  const told = world.published.map(({ alert }) => `${alert.rule} ${alert.kind}`);
  expect(told.filter((what) => what.endsWith('fired'))).toHaveLength(WATCHES);
});

it('a destination that is not told at once is told by its timer', async () => {
  const { world, messages } = await fired();
  const { notify } = world.ports;
  const sendToChannels = () => Promise.reject(new Error('no queue'));

  await Promise.all(messages.map(notifyTogether({ ...notify, sendToChannels })));

  expect(world.reports.filter(({ event }) => event === 'hints_not_sent')).toHaveLength(1);
  for (let minute = 0; minute < 4; minute += 1) await world.tick();
  expect(new Set(world.published.map(({ alert }) => alert.rule)).size).toBe(WATCHES);
});
