import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { deliverMessages } from '#functions/deliver-messages/deliver-messages.ts';
import { runContracts } from '#functions/run-contracts/run-contracts.ts';
import { runJob } from '#functions/run-jobs/run-job.ts';
import { wakeWork } from '#functions/wake-work/wake-work.ts';
import type { PostedAlert } from '#shared/domain/channels/alert-record.ts';
import { heldUntil, newChannelRecord } from '#shared/domain/channels/channel-record.ts';
import { channelDestinationId } from '#shared/domain/channels/destination-id.ts';
import { newPostIntent } from '#shared/domain/channels/post-intent.ts';
import { HOUR, type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import type { PricePoint } from '#shared/domain/market/point.ts';
import { ContractMessage } from '#shared/domain/messages/contract-message.ts';
import { appendPoll } from '#shared/domain/timeline/append-poll.ts';
import { JobId } from '#shared/domain/watchlists/job.ts';
import { postAlerts } from '#shared/use-cases/post-alerts.ts';
import {
  APES,
  aContractRecord,
  anAlert,
  aPostedAlert,
  aPrice,
  aWatch,
  eth,
  PUNKS,
  someLimits,
} from '#test/support/builders.ts';
import { evenCosts } from '#test/support/even-costs.ts';
import { pollOnce } from '#test/support/poll-once.ts';
import { createWorld, type World } from '#test/support/world.ts';

/** Sequences of events that once lost, invented or repeated an alert, and were found in reviews. */

const EVERY_MINUTE = { cadenceMinutes: 1 };
const { signal } = new AbortController();
const iso = (instant: Instant) => new Date(instant).toISOString();

function floorIs(world: World, price: string, time = world.now()): void {
  const point = { time, price: eth(price), currency: 'eth', marketplaces: [] };
  world.answers.floor = () => ({ kind: 'ok', value: [point] });
}

async function put(world: World, rule: object, id = 'mine', contracts = [PUNKS]): Promise<void> {
  const rules = [{ id: 'low', metric: 'floor_price', when: 'below', threshold: '60', ...rule }];
  await world.putList({ id, name: id, contracts, rules: rules as never });
}

async function minutes(world: World, count: number): Promise<void> {
  for (let minute = 0; minute < count; minute += 1) await world.tick();
}

const emailed = (world: World) =>
  world.published.filter(({ destinationId }) => destinationId === 'stack-topic');
const sent = (world: World) => emailed(world).map(({ alert }) => `${alert.kind} ${alert.value}`);

describe('a rule that is resumed after its end', () => {
  const fellMeanwhile = async () => {
    const world = createWorld(EVERY_MINUTE);
    floorIs(world, '65');
    await put(world, { expiresAt: iso(world.now() + 4 * MINUTE) });
    await put(world, { threshold: '1' }, 'other');
    await minutes(world, 8);
    floorIs(world, '50');
    await minutes(world, 3);
    return world;
  };

  it('a resumed rule is evaluated with the current price, even if the price has not changed', async () => {
    const world = await fellMeanwhile();

    await put(world, { expiresAt: iso(world.now() + HOUR) });
    await minutes(world, 4);

    expect(sent(world).at(-1)).toBe('fired 50');
  });

  it('a resumed rule does not use the current price as its previous value', async () => {
    const world = await fellMeanwhile();

    await put(world, { expiresAt: iso(world.now() + HOUR) });
    await minutes(world, 4);

    expect(emailed(world).at(-1)?.alert).toMatchObject({ value: '50', previous: null });
  });

  it('a resumed rule receives new prices even if the record of its contract was deleted', async () => {
    const world = createWorld(EVERY_MINUTE);
    const begun = world.now();
    for (let minute = 0; minute < 9; minute += 1) {
      floorIs(world, minute % 2 === 0 ? '65' : '66');
      if (minute === 0) await put(world, { expiresAt: iso(begun + 8 * MINUTE) });
      await world.tick();
    }
    await minutes(world, 4);
    for (const { pk, sk, version, ttl } of world.table.items()) {
      if (pk.startsWith('CONTRACTS#') && ttl !== undefined) {
        await world.table.delete({ pk, sk }, Number(version));
      }
    }
    await put(world, { expiresAt: iso(world.now() + 24 * HOUR) });
    await minutes(world, 3);

    floorIs(world, '50');
    await minutes(world, 2);

    expect(sent(world).at(-1)).toBe('fired 50');
  });

  it('a rule is evaluated with the current price if it is resumed before its expiry was processed', async () => {
    const world = createWorld(EVERY_MINUTE);
    floorIs(world, '65');
    await put(world, { expiresAt: iso(world.now() + 4 * MINUTE) });
    await minutes(world, 2);
    world.pass(5 * MINUTE);
    floorIs(world, '50');
    await put(world, {});

    await minutes(world, 3);

    expect(sent(world)).toEqual(['fired 50']);
  });
});

it('a rule that is resumed after its expiry needs the full duration of `for` again', async () => {
  const world = createWorld(EVERY_MINUTE);
  floorIs(world, '65');
  await put(world, { for: '10m', expiresAt: iso(world.now() + 8 * MINUTE) });
  await put(world, { threshold: '1' }, 'other');
  await minutes(world, 4);
  floorIs(world, '59');
  await minutes(world, 5);
  floorIs(world, '65');
  await minutes(world, 20);
  floorIs(world, '58');
  await minutes(world, 5);

  await put(world, { for: '10m', expiresAt: iso(world.now() + HOUR) });
  await minutes(world, 5);
  const sentBefore = sent(world);
  await minutes(world, 10);

  expect(sentBefore).toEqual(['expired null']);
  expect(sent(world)).toEqual(['expired null', 'fired 58']);
});

it('steps after the end of `for` are reported even if no poll was made when `for` ended', async () => {
  const world = createWorld(EVERY_MINUTE);
  floorIs(world, '50');
  await put(world, { when: 'above', for: '2m', steps: '1' });
  await minutes(world, 3);
  const begun = world.now();
  const floors = (...prices: readonly (readonly [number, string])[]) => {
    const points = prices.map(([minute, price]) => {
      return {
        time: begun + minute * MINUTE,
        price: eth(price),
        currency: 'eth',
        marketplaces: [],
      };
    });
    world.answers.floor = () => ({ kind: 'ok', value: points });
  };
  floors([0, '61']);
  await minutes(world, 1);
  world.pass(20 * MINUTE);
  floors([0, '61'], [8, '62'], [9, '63'], [10, '62.9']);

  await minutes(world, 6);

  expect(sent(world)).toEqual(['fired 62', 'worsened 63']);
});

it('a posted alert is sent even if the worker that posted it crashed right afterwards', async () => {
  const world = createWorld(EVERY_MINUTE);
  const postAlert = async (alert: PostedAlert) => {
    await world.ports.notify.postAlert(alert);
    throw new Error('died');
  };
  const posting = postAlerts({ ...world.ports.notify, postAlert }, [anAlert()], ['stack-topic']);
  await expect(posting).rejects.toThrow('died');

  await minutes(world, 4);

  expect(sent(world)).toEqual(['fired 59.9']);
});

it('a posted alert is sent even if the worker that posted it froze and then failed', async () => {
  const world = createWorld(EVERY_MINUTE);
  const postAlert = async (alert: PostedAlert) => {
    await minutes(world, 4);
    await world.ports.notify.postAlert(alert);
    throw new Error('unforeseen');
  };
  const posting = postAlerts({ ...world.ports.notify, postAlert }, [anAlert()], ['stack-topic']);
  await expect(posting).rejects.toThrow('unforeseen');

  await minutes(world, 13);

  expect(sent(world)).toEqual(['fired 59.9']);
});

it('an alert for several destinations is found within minutes if the message to one destination was lost', async () => {
  const world = createWorld(EVERY_MINUTE);
  const { channels } = world.queues;
  await world.ports.notify.putPostIntent(
    newPostIntent('1', 1, ['stack-topic', 'stack-slack'], world.now()),
  );
  await world.stores.alerts.post(aPostedAlert(anAlert(), ['stack-topic']));
  world.pass(3 * MINUTE);
  await world.dispatch();
  while (channels.waiting.length > 0) channels.remove();

  await minutes(world, 4);

  expect(sent(world)).toEqual(['fired 59.9']);
});

it('a worker does not send a message that another worker sent after the inbox was read', async () => {
  const world = createWorld(EVERY_MINUTE);
  await postAlerts(world.ports.notify, [anAlert()], ['stack-topic']);
  const message = { destinationId: 'stack-topic' } as const;
  const { deliver } = world.ports;
  let isFirst = true;
  const getPosted: typeof deliver.getPosted = async (key) => {
    const found = await deliver.getPosted(key);
    const overtakes = isFirst;
    isFirst = false;
    if (overtakes) await deliverMessages(deliver, message, signal);
    return found;
  };

  await deliverMessages({ ...deliver, getPosted }, message, signal);

  expect(sent(world)).toEqual(['fired 59.9']);
});

it('the outcome of one notification is not stored as the outcome of the next', async () => {
  const world = createWorld(EVERY_MINUTE);
  const [first, second] = [anAlert(), anAlert({ id: '0123456789abcdef0123.1.2', value: '59.8' })];
  await postAlerts(world.ports.notify, [first, second], ['stack-topic']);
  const message = { destinationId: 'stack-topic' } as const;
  const lateSend: typeof world.ports.deliver.send = async (...sending) => {
    world.answers.channel = (_destinationId, { kind, ...sent }) =>
      kind === 'alert' && 'alert' in sent && sent.alert.id === first.id
        ? { kind: 'sent' }
        : { kind: 'failed', reason: 'server_error' };
    await deliverMessages(world.ports.deliver, message, signal);
    return await world.ports.deliver.send(...sending);
  };
  await deliverMessages({ ...world.ports.deliver, send: lateSend }, message, signal);
  world.answers.channel = () => ({ kind: 'sent' });

  await minutes(world, 5);

  expect(new Set(sent(world))).toEqual(new Set(['fired 59.9', 'fired 59.8']));
});

it('a worker that finishes does not delete a notification that another worker has started', async () => {
  const world = createWorld(EVERY_MINUTE);
  const { channels } = world.stores;
  const known = await channels.put({
    ...newChannelRecord('stack-topic', world.now()),
    dueAt: world.now(),
  });
  const { deliver } = world.ports;
  const putChannel: typeof deliver.putChannel = async (record) => {
    await channels.put({ ...known, notification: { id: 'another', entries: [] } });
    return await deliver.putChannel(record);
  };

  await deliverMessages({ ...deliver, putChannel }, { destinationId: 'stack-topic' }, signal);

  expect((await channels.get('stack-topic'))?.notification?.id).toBe('another');
});

it('a worker that starts to wait for the rate limit does not shorten a newer Retry-After', async () => {
  const world = createWorld(EVERY_MINUTE);
  const { channels, alerts } = world.stores;
  const destinationId = 'stack-topic';
  const now = world.now();
  const known = await channels.put({
    ...newChannelRecord(destinationId, now),
    recent: Array<Instant>(5).fill(now),
    dueAt: now,
  });
  const alert = anAlert();
  await alerts.post(aPostedAlert(alert, [destinationId]));
  const { deliver } = world.ports;
  let isFirst = true;
  const putChannel: typeof deliver.putChannel = async (record) => {
    if (isFirst) await channels.put(heldUntil(known, now + HOUR));
    isFirst = false;
    return await deliver.putChannel(record);
  };

  await deliverMessages({ ...deliver, putChannel }, { destinationId }, signal);

  expect((await channels.get(destinationId))?.notBefore).toBe(now + HOUR);
});

it('a worker that froze while a list was deleted and created again does not overwrite its new watch', async () => {
  const world = createWorld(EVERY_MINUTE);
  floorIs(world, '65');
  await put(world, {});
  await minutes(world, 2);
  floorIs(world, '50');
  await world.dispatch();
  const [poll] = world.queues.contracts.waiting;
  world.queues.contracts.remove();
  const ports = world.runContractsPorts();
  let isFirst = true;
  const commitWatch: typeof ports.commitWatch = async (transition) => {
    if (isFirst) {
      isFirst = false;
      floorIs(world, '65');
      await world.deleteList('mine');
      await minutes(world, 2);
      await put(world, { threshold: '40' });
      await minutes(world, 2);
    }
    return await ports.commitWatch(transition);
  };
  const message = ContractMessage.parse(JSON.parse(poll?.body ?? ''));
  await runContracts({ ...ports, commitWatch }, message);
  const below40 = { when: 'below', threshold: eth('40') };

  await minutes(world, 2);

  const [watch] = await world.stores.watches.ofList({ tenant: 'acme', list: 'mine' }, PUNKS);
  expect([watch?.ruleCondition.condition, watch?.state]).toEqual([below40, 'ok']);
});

it('a worker does not delete the record of a channel that another worker has just updated', async () => {
  const world = createWorld(EVERY_MINUTE);
  const { channels } = world.stores;
  const destinationId = channelDestinationId({ tenant: 'acme', id: 'mine' }, 'team');
  await channels.put(newChannelRecord(destinationId, world.now()));
  const { deliver } = world.ports;
  const getWatchlist: typeof deliver.getWatchlist = async () => {
    const known = await channels.get(destinationId);
    await channels.put({
      ...newChannelRecord(destinationId, world.now()),
      ...known,
      lastSuccessAt: world.now(),
    });
    return undefined;
  };

  await deliverMessages({ ...deliver, getWatchlist }, { destinationId }, signal);

  expect((await channels.get(destinationId))?.lastSuccessAt).toBe(world.now());
});

it('no alert id is used twice when a rule is limited to one contract and then extended to all again', async () => {
  const world = createWorld(EVERY_MINUTE);
  floorIs(world, '50');

  for (const on of ['*', APES, '*']) {
    await put(world, { on }, 'mine', [PUNKS, APES]);
    await minutes(world, 3);
  }

  const ids = emailed(world).map(({ alert }) => alert.id);
  expect(ids.length).toBeGreaterThan(3);
  expect(new Set(ids).size).toBe(ids.length);
});

it('a rule that is removed and created again within minutes fires immediately', async () => {
  const world = createWorld(EVERY_MINUTE);
  floorIs(world, '50');
  await put(world, {});
  await minutes(world, 2);
  await world.putList({ id: 'mine', name: 'mine', contracts: [PUNKS], rules: [] });
  await world.drain();

  await put(world, {});
  await minutes(world, 2);

  expect(sent(world)).toEqual(['fired 50', 'closed null', 'fired 50']);
});

it('no alert id is used twice when a worker applies an earlier version of a list', async () => {
  const world = createWorld(EVERY_MINUTE);
  floorIs(world, '50');
  await put(world, {});
  await minutes(world, 2);
  const former = await world.stores.watchlists.get({ tenant: 'acme', id: 'mine' });
  await put(world, { threshold: '55' });
  await minutes(world, 2);
  const ports = world.runContractsPorts();
  const answers = [former];
  const getWatchlist: typeof ports.getWatchlist = async (id) =>
    answers.shift() ?? (await ports.getWatchlist(id));
  const apply = { kind: 'apply', contract: PUNKS, tenant: 'acme', list: 'mine' } as const;

  const watches = () => world.stores.watches.ofList({ tenant: 'acme', list: 'mine' }, PUNKS);
  const before = await watches();

  await runContracts({ ...ports, getWatchlist }, apply);

  expect(sent(world)).toEqual(['fired 50', 'closed null', 'fired 50']);
  expect(await watches()).toEqual(before);
});

it('a rule whose start was interrupted is evaluated, even if its contract was polled in the meantime', async () => {
  const world = createWorld(EVERY_MINUTE);
  const floorIsInDollars = (usd: string) => {
    const point = { time: world.now(), price: eth('50'), usd: eth(usd), currency: 'eth' };
    world.answers.floor = () => ({ kind: 'ok', value: [{ ...point, marketplaces: [] }] });
  };
  floorIsInDollars('170000');
  await put(world, { threshold: '1' }, 'other');
  await minutes(world, 2);
  await put(world, { metric: 'floor_price_usd', threshold: '160000' });
  world.queues.contracts.remove();
  const ports = world.runContractsPorts();
  const putContract = () => Promise.reject(new Error('cut'));
  const apply = { kind: 'apply', contract: PUNKS, tenant: 'acme', list: 'mine' } as const;
  await expect(runContracts({ ...ports, putContract }, apply)).rejects.toThrow('cut');
  floorIsInDollars('150000');
  await world.dispatch();
  const poll = world.queues.contracts.waiting.find(({ body }) => body.includes('"evaluate"'));
  await runContracts(ports, ContractMessage.parse(JSON.parse(poll?.body ?? '')));

  await minutes(world, 4);

  expect(sent(world)).toEqual(['fired 150000']);
});

it('a rule whose start was interrupted is not evaluated with less floor history than it needs', async () => {
  const world = createWorld(EVERY_MINUTE);
  const start = world.now();
  const points = [
    { time: start - 20 * HOUR, price: eth('40') },
    { time: start - 2 * HOUR, price: eth('49') },
    { time: start - 10 * MINUTE, price: eth('50') },
  ].map((point) => ({ ...point, currency: 'eth', marketplaces: [] }));
  world.answers.floor = () => ({ kind: 'ok', value: points });
  const near = { metric: 'floor_runup_pct.1h', when: 'above', threshold: '90' };
  const price = { metric: 'floor_price', when: 'above', threshold: '10' };
  const together = (first: object) => ({
    ...{ metric: undefined, when: undefined, threshold: undefined },
    all: [first, price],
  });
  await put(world, together(near), 'other');
  await minutes(world, 2);
  const far = { metric: 'floor_runup_pct.24h', when: 'below', threshold: '5' };
  await put(world, together(far));
  world.queues.contracts.remove();
  const ports = world.runContractsPorts();
  const putContract = () => Promise.reject(new Error('cut'));
  const apply = { kind: 'apply', contract: PUNKS, tenant: 'acme', list: 'mine' } as const;
  await expect(runContracts({ ...ports, putContract }, apply)).rejects.toThrow('cut');
  points.push({ ...points[2], time: world.now(), price: eth('51') } as (typeof points)[0]);
  await world.dispatch();
  const poll = world.queues.contracts.waiting.find(({ body }) => body.includes('"evaluate"'));
  await runContracts(ports, ContractMessage.parse(JSON.parse(poll?.body ?? '')));

  await minutes(world, 4);

  expect(sent(world)).toEqual([]);
});

it('a watch that a frozen worker creates after its list was deleted sends nothing, and is removed', async () => {
  const world = createWorld(EVERY_MINUTE);
  floorIs(world, '50');
  await put(world, { threshold: '1' }, 'other');
  await put(world, {});
  await minutes(world, 2);
  const begun = await world.stores.watches.get({
    ...{ tenant: 'acme', list: 'mine', rule: 'low', contract: PUNKS },
  });
  await world.deleteList('mine');
  await minutes(world, 2);
  const fired = sent(world);

  const late = begun ?? aWatch();
  await world.stores.watches.put({
    ...late,
    version: 0,
    state: 'unknown',
    evaluatedSeq: 0,
  });
  floorIs(world, '40');
  await minutes(world, 2);

  expect(sent(world)).toEqual(fired);
  expect(await world.stores.watches.ofList({ tenant: 'acme', list: 'mine' }, PUNKS)).toEqual([]);
});

/** Ports of a worker that throws after this number of completed port calls. */
function stoppingAfter<Ports extends object>(stop: number, ports: Ports): Ports {
  let answers = 0;
  const stopping =
    (port: (...values: unknown[]) => unknown) =>
    (...values: unknown[]) => {
      const answer = port(...values);
      if (!(answer instanceof Promise)) return answer;
      return answer.then((value: unknown) => {
        answers += 1;
        if (answers === stop) throw new Error('stopped');
        return value;
      });
    };
  const entries = Object.entries(ports).map(([name, port]) => [
    name,
    typeof port === 'function' ? stopping(port) : port,
  ]);
  return Object.fromEntries(entries) as Ports;
}

it('a contract that a frozen worker watches again by mistake is soon no longer polled, wherever the worker stops', async () => {
  const polledAfterStop = async (stop: number) => {
    const world = createWorld(EVERY_MINUTE);
    floorIs(world, '50');
    await put(world, {});
    await minutes(world, 2);
    let outdated = await world.stores.watchlists.get({ tenant: 'acme', id: 'mine' });
    await world.deleteList('mine');
    await minutes(world, 2);

    const ports = stoppingAfter(stop, world.runContractsPorts());
    const getWatchlist: typeof ports.getWatchlist = async (id) => {
      const list = await ports.getWatchlist(id);
      const read = outdated ?? list;
      outdated = undefined;
      return read;
    };
    const message = { kind: 'apply', contract: PUNKS, tenant: 'acme', list: 'mine' } as const;
    let isStopped = false;
    await runContracts({ ...ports, getWatchlist }, message).catch(() => {
      isStopped = true;
    });
    await minutes(world, 4);
    const record = await world.stores.contracts.get(PUNKS);
    return { isStopped, series: Object.keys(record?.series ?? {}) };
  };

  const seen: unknown[] = [];
  for (let stop = 1; ; stop += 1) {
    const { isStopped, series } = await polledAfterStop(stop);
    seen.push(series);
    if (!isStopped) break;
  }

  expect(seen.length).toBeGreaterThan(5);
  expect(new Set(seen.flat())).toEqual(new Set());
});

it('an answered price series is not polled again while its rule waits for another series', async () => {
  const world = createWorld({ cadenceMinutes: 60 });
  floorIs(world, '50');
  const sale = { time: world.now() - HOUR, price: eth('40'), tokenIds: [] };
  world.answers.lowest = () => ({ kind: 'ok', value: sale });
  const discount = { metric: 'sale_discount_pct.1d', when: 'above', threshold: '10', for: '5m' };
  await put(world, discount);
  await minutes(world, 3);
  world.answers.floor = () => ({ kind: 'not_found' });
  const asked = () => world.log.calls.filter((name) => name === 'upstream.lowest').length;
  const before = asked();

  await minutes(world, 20);

  expect(asked() - before).toBe(1);
});

it('a failed poll ends only when all its calls have been answered', async () => {
  const world = createWorld(EVERY_MINUTE);
  await put(world, {});
  await put(world, { metric: 'lowest_price.7d' }, 'other');
  await world.drain();
  let isAnswered = false;
  const floorHistory = () => Promise.reject(new Error('cut'));
  const lowestTrade = async () => {
    await setImmediate();
    isAnswered = true;
    return { kind: 'empty' } as const;
  };
  const upstream = { ...world.ports.poll.upstream, floorHistory, lowestTrade };

  await expect(pollOnce(world, { pollPorts: { upstream } })).rejects.toThrow('cut');

  expect(isAnswered).toBe(true);
});

it('a list that is applied while its job is stored again is not applied a second time', async () => {
  const world = createWorld(EVERY_MINUTE);
  floorIs(world, '50');
  await put(world, {});
  await minutes(world, 2);
  const id = { list: { tenant: 'acme', id: 'mine' }, target: { kind: 'apply' } } as const;
  const { jobs } = world.stores;
  const times = { createdAt: world.now(), dueAt: world.now() };
  await jobs.make({ ...id, ...times, revision: 1, version: 1, contracts: [PUNKS] });
  const ports = world.runContractsPorts();
  const settleJob: typeof ports.settleJob = async (job) => {
    await jobs.replace(job, { ...job, version: 2 });
    await ports.settleJob(job);
  };
  const apply = { kind: 'apply', contract: PUNKS, tenant: 'acme', list: 'mine' } as const;

  await runContracts({ ...ports, settleJob }, apply);
  await runJob(world.ports.notify, id);

  expect(world.queues.contracts.waiting).toEqual([]);
  expect(await jobs.get(id.list, id.target)).toBeUndefined();
});

it('overdue channels do not delay other due work', async () => {
  const world = createWorld(EVERY_MINUTE);
  const begun = world.now();
  for (let index = 0; index < 1000; index += 1) {
    const record = newChannelRecord(
      channelDestinationId({ tenant: 'acme', id: 'x' }, `c-${index}`),
      world.now(),
    );
    await world.stores.channels.put({ ...record, dueAt: begun });
  }
  await world.stores.contracts.put(aContractRecord({ version: 0 }));
  world.pass(3 * MINUTE);
  const target = { kind: 'apply' } as const;
  const list = { tenant: 'acme', id: 'mine' };
  const job = { list, target, revision: 1, createdAt: begun, dueAt: begun + 150_000, version: 1 };
  await world.stores.jobs.make({ ...job, contracts: [PUNKS] });

  const evaluated: boolean[] = [];
  for (let minute = 0; minute < 4; minute += 1) {
    await world.dispatch();
    evaluated.push(world.queues.contracts.waiting.some(({ body }) => body.includes('"apply"')));
    while (world.queues.lists.waiting.length > 0) {
      const body = world.queues.lists.waiting[0]?.body ?? '';
      await runJob(world.ports.notify, JobId.parse(JSON.parse(body)));
      world.queues.lists.remove();
    }
    world.queues.channels.waiting.length = 0;
  }

  expect(evaluated).toContain(true);
});

it('an unreadable watch does not stop the evaluation of other watches', async () => {
  const world = createWorld(EVERY_MINUTE);
  floorIs(world, '65');
  for (const id of ['aaa', 'bbb']) await put(world, {}, id);
  await minutes(world, 2);
  const items = world.table.items();
  const item = items.find(({ pk, sk }) => pk.startsWith('WATCHES#') && sk.includes('aaa'));
  if (item !== undefined) await world.table.put({ ...item, state: 'of another version' });
  floorIs(world, '50');

  await minutes(world, 2);

  expect(sent(world)).toEqual(['fired 50']);
  expect(world.reports.map(({ event }) => event)).toContain('watch_evaluation_failed');
});

it('a watch whose evaluation fails reports this until an evaluation succeeds, and does not stop other watches', async () => {
  const world = createWorld(EVERY_MINUTE);
  floorIs(world, '65');
  for (const id of ['aaa', 'bbb']) await put(world, {}, id);
  await minutes(world, 2);
  const watchOf = (list: string) =>
    world.stores.watches.get({ tenant: 'acme', list, rule: 'low', contract: PUNKS });
  const sound = world.table.items().find(({ sk }) => sk === 'acme#aaa#low');
  const clock = { metric: 'data_age_minutes', unit: 'minutes' };
  const also = [{ ...clock, condition: { when: 'above', threshold: '1' } }];
  const ruleCondition = { ...(sound?.ruleCondition as object), also };
  if (sound !== undefined) await world.table.put({ ...sound, ruleCondition });
  const record = await world.stores.contracts.get(PUNKS);
  const unit = 'minutes';
  const thresholdIndexes = [
    { metric: 'data_age_minutes' as const, unit },
    { metric: 'all' as const, unit: '' },
  ];
  if (record !== undefined) {
    await world.stores.contracts.put({
      ...record,
      thresholdIndexes: [...record.thresholdIndexes, ...thresholdIndexes],
    });
  }
  floorIs(world, '50');
  await minutes(world, 2);
  const broken = await watchOf('aaa');

  if (sound !== undefined) {
    await world.table.put({ ...sound, version: broken?.version, brokenSince: broken?.brokenSince });
  }
  floorIs(world, '49');
  await minutes(world, 2);

  expect(broken?.brokenSince).toBeDefined();
  expect((await watchOf('aaa'))?.brokenSince).toBeUndefined();
  expect(sent(world)).toEqual(['fired 50', 'fired 49']);
});

it('an unreadable history does not stop the evaluation of watches', async () => {
  const world = createWorld(EVERY_MINUTE);
  floorIs(world, '50');
  await put(world, {});
  await minutes(world, 3);
  for (const item of world.table.items().filter(({ pk }) => pk.startsWith('HISTORY#'))) {
    await world.table.put({ ...item, price: 'much' });
  }
  floorIs(world, '65');

  await minutes(world, 2);

  expect(sent(world)).toEqual(['fired 50', 'recovered 65']);
});

it('a continuation has no effect if another worker has finished its evaluation', async () => {
  const world = createWorld(EVERY_MINUTE);
  floorIs(world, '65');
  for (let list = 0; list < 3; list += 1) {
    const rules = Array.from({ length: 50 }, (_, rule) => ({
      ...{ id: `r${rule}`, metric: 'floor_price', when: 'below' as const, recover: '90' },
      threshold: `${60 - rule / 100}`,
    }));
    await world.putList({ id: `l${list}`, name: 'x', contracts: [PUNKS], rules });
  }
  await minutes(world, 3);
  const time = world.now();
  const point = (price: string, at: Instant) => ({
    ...{ time: at, price: eth(price), currency: 'eth', marketplaces: [] },
  });
  world.answers.floor = () => ({ kind: 'ok', value: [point('65', time + 1), point('59.8', time)] });
  world.remaining = () => 5000;
  await world.dispatch();
  const message = (body = '') => ContractMessage.parse(JSON.parse(body));
  const [poll] = world.queues.contracts.waiting;
  await runContracts(world.runContractsPorts(), message(poll?.body));
  const continuation = world.queues.contracts.waiting.find(({ body }) => body.includes('"from"'));
  world.remaining = () => 30_000;
  const evaluate = { kind: 'evaluate' as const, contract: PUNKS, cadenceMinutes: 1 };
  await runContracts(world.runContractsPorts(), evaluate);

  await runContracts(world.runContractsPorts(), message(continuation?.body));

  expect(continuation).toBeDefined();
  expect((await world.stores.contracts.get(PUNKS))?.timeline.steps).toEqual([]);
});

it('a price that is stored at the end of an evaluation is evaluated by the next evaluation', async () => {
  const world = createWorld(EVERY_MINUTE);
  const nextPoll = async () => {
    await world.dispatch();
    const poll = world.queues.contracts.waiting.find(({ body }) => body.includes('"evaluate"'));
    world.queues.contracts.remove();
    return ContractMessage.parse(JSON.parse(poll?.body ?? ''));
  };
  floorIs(world, '65');
  await put(world, {});
  await minutes(world, 2);
  world.pass(MINUTE);
  floorIs(world, '64');
  const ports = world.runContractsPorts();
  let isFirst = true;
  const putContract: typeof ports.putContract = async (record) => {
    if (isFirst && record.timeline.steps.length === 0) {
      isFirst = false;
      world.pass(MINUTE);
      floorIs(world, '50');
      const watchesReached = () => Promise.reject(new Error('cut'));
      const cut = runContracts({ ...ports, watchesReached }, await nextPoll());
      await expect(cut).rejects.toThrow('cut');
      world.pass(MINUTE);
      floorIs(world, '65');
    }
    return await ports.putContract(record);
  };
  await runContracts({ ...ports, putContract }, await nextPoll());

  await minutes(world, 2);

  expect(sent(world)).toEqual(['fired 50', 'recovered 65']);
});

it('a new rule does not start with a stored trade that the next answer contradicts', async () => {
  const world = createWorld(EVERY_MINUTE);
  const sold = world.now() - HOUR;
  world.answers.lowest = () => ({
    kind: 'ok',
    value: { time: sold, price: eth('50'), tokenIds: [] },
  });
  await put(world, { metric: 'lowest_price.7d', threshold: '1' }, 'other');
  await minutes(world, 2);
  world.answers.lowest = () => ({ kind: 'empty' });

  await put(world, { metric: 'lowest_price.7d' });
  await minutes(world, 4);

  expect(sent(world)).toEqual([]);
});

it('the provider is polled even if its calls cost no units', async () => {
  const free = evenCosts(0);
  const world = createWorld({ ...EVERY_MINUTE, limits: someLimits({ costs: free }) });
  floorIs(world, '50');

  await put(world, {});
  await minutes(world, 3);

  expect(sent(world)).toEqual(['fired 50']);
});

it('a malformed key in the index does not stop a tick', async () => {
  const world = createWorld(EVERY_MINUTE);
  const broken = { pk: 'WATCHES#nonsense', sk: 'a', dueShard: 'DUE#0', dueAt: 1 };
  await world.table.put(broken);

  const summary = await wakeWork(world.ports.wake, signal);

  expect(summary.unreadable).toEqual(['WATCHES#nonsense a']);
});

it('a sale that is reported late is compared with the newest floor, although the floor was reported earlier', async () => {
  const world = createWorld(EVERY_MINUTE);
  const start = world.now();
  const lowestIs = (price: string, time: Instant) => {
    const value = { time, price: eth(price), tokenIds: [] };
    world.answers.lowest = () => ({ kind: 'ok', value });
  };
  floorIs(world, '50', start);
  lowestIs('60', start);
  await put(world, { metric: 'sale_discount_pct.1d', when: 'above', threshold: '30' });
  await minutes(world, 2);
  floorIs(world, '60');
  await minutes(world, 2);

  lowestIs('39', start + MINUTE);
  await minutes(world, 2);

  expect(sent(world)).toEqual(['fired 35']);
});

describe('rules on changes and drawdowns in a window', () => {
  const fall = { metric: 'floor_drawdown_pct.24h', when: 'above', threshold: '10', keepFor: '1m' };
  const fell = async (world: World) => {
    floorIs(world, '60');
    await put(world, fall);
    await minutes(world, 2);
    floorIs(world, '50');
    await minutes(world, 2);
  };

  it('the episode of a rule with a window stays open while the floor history is unreadable', async () => {
    const world = createWorld(EVERY_MINUTE);
    await fell(world);
    const history = world.table.items().filter(({ pk }) => pk.startsWith('HISTORY#'));
    for (const item of history) await world.table.put({ ...item, price: 'much' });
    floorIs(world, '51');
    await minutes(world, 2);
    const [unread] = await world.stores.watches.ofList({ tenant: 'acme', list: 'mine' }, PUNKS);

    for (const item of history) await world.table.put(item);
    floorIs(world, '59');
    await minutes(world, 2);

    expect([unread?.state, unread?.brokenSince !== undefined]).toEqual(['firing', true]);
    expect(sent(world)).toEqual(['fired 16.666666666666666666', 'recovered 1.666666666666666666']);
  });

  it('the episode of a resumed rule closes if the change left the window while the rule was expired', async () => {
    const world = createWorld(EVERY_MINUTE);
    const rule = { metric: 'floor_change_pct.1h', threshold: '-10', keepFor: '1m' };
    floorIs(world, '60', world.now() - 2 * HOUR);
    await put(world, { ...rule, expiresAt: iso(world.now() + 5 * MINUTE) });
    await put(world, { threshold: '1' }, 'other');
    await minutes(world, 2);
    floorIs(world, '50');
    await minutes(world, 80);

    await put(world, { ...rule, expiresAt: iso(world.now() + HOUR) });
    await minutes(world, 3);

    expect(sent(world).filter((one) => !one.startsWith('expired'))).toEqual([
      'fired -16.666666666666666666',
      'closed null',
    ]);
  });

  it('a window moves to the time of the next evaluation, even if the first evaluation was interrupted', async () => {
    const world = createWorld(EVERY_MINUTE);
    const start = world.now();
    const points = [
      { time: start - 2 * HOUR, price: eth('60') },
      { time: start - HOUR + 3 * MINUTE, price: eth('50') },
      { time: start - 30 * MINUTE, price: eth('45') },
    ].map((point) => ({ ...point, currency: 'eth', marketplaces: [] }));
    world.answers.floor = () => ({ kind: 'ok', value: points });
    await put(world, {
      metric: 'floor_change_pct.1h',
      when: 'below',
      threshold: '-15',
      keepFor: '1m',
    });
    await world.drain();
    world.pass(1);
    const cached = (await world.stores.contracts.get(PUNKS)) ?? aContractRecord();
    const putContract = () => Promise.reject(new Error('cut'));
    const first = pollOnce(world, { record: cached, runPorts: { putContract } });
    await expect(first).rejects.toThrow('cut');

    world.pass(4 * MINUTE);
    await minutes(world, 2);

    expect(sent(world)).toEqual(['fired -25', 'recovered -10']);
  });

  it('the window of one joint condition advances while the price series of another condition is missing', async () => {
    const world = createWorld(EVERY_MINUTE);
    const start = world.now();
    const points = [
      { time: start - 2 * HOUR, price: eth('50') },
      { time: start - HOUR + 4 * MINUTE, price: eth('60') },
    ].map((point) => ({ ...point, currency: 'eth', marketplaces: [] }));
    world.answers.floor = () => ({ kind: 'ok', value: points });
    const lowestIs = (price: string) => {
      const value = { time: world.now(), price: eth(price), tokenIds: [] };
      world.answers.lowest = () => ({ kind: 'ok', value });
    };
    const rose = { metric: 'floor_change_pct.1h', when: 'above', threshold: '15' };
    const cheap = { metric: 'lowest_price.1d', when: 'below', threshold: '40' };
    lowestIs('50');
    const all = { metric: undefined, when: undefined, threshold: undefined, all: [rose, cheap] };
    await put(world, { ...all, for: '3m' });
    await minutes(world, 1);
    lowestIs('40');
    await minutes(world, 1);

    world.answers.lowest = () => ({ kind: 'failed', reason: 'timeout' });
    await minutes(world, 4);
    lowestIs('39');
    await minutes(world, 6);

    const [watch] = await world.stores.watches.ofList({ tenant: 'acme', list: 'mine' }, PUNKS);
    expect([sent(world), watch?.state]).toEqual([[], 'ok']);
  });

  it('a drawdown rule uses all floors from the time of an outage, even if there are too many to evaluate each of them', async () => {
    const world = createWorld(EVERY_MINUTE);
    const begun = world.now();
    const series = (from: Instant, prices: readonly string[]) =>
      prices.map((price, index) => ({
        time: from + index * HOUR,
        price: eth(price),
        currency: 'eth',
        marketplaces: [],
      }));
    const points = series(begun, ['60']);
    world.answers.floor = () => ({ kind: 'ok', value: points });
    await put(world, { ...fall, metric: 'floor_drawdown_pct.7d' });
    await minutes(world, 2);
    points.push(
      ...series(begun + HOUR, [...Array<string>(10).fill('80'), ...Array<string>(50).fill('71')]),
    );
    world.pass(61 * HOUR);

    await minutes(world, 4);

    expect(sent(world)).toEqual(['fired 11.25']);
  });
});

it.each([
  ['no other rule', undefined],
  ['another rule with a window', 'floor_drawdown_pct.7d'],
])(
  'the previous value of a crossing is the floor before the crossing, with %s',
  async (_name, metric) => {
    const world = createWorld(EVERY_MINUTE);
    const begun = world.now();
    const points = [{ time: begun, price: eth('65'), currency: 'eth', marketplaces: [] }];
    world.answers.floor = () => ({ kind: 'ok', value: points });
    await put(world, { when: 'crosses' });
    if (metric !== undefined) await put(world, { metric, when: 'above' }, 'other');
    await minutes(world, 2);
    for (let hour = 1; hour <= 60; hour += 1) {
      points.push({ ...points[0], time: begun + hour * HOUR, price: eth('59') } as never);
    }
    world.pass(61 * HOUR);

    await minutes(world, 4);

    expect(emailed(world)).toMatchObject([{ alert: { value: '59', previous: '65' } }]);
  },
);

it('floors whose evaluation steps were merged are still recorded for windows', async () => {
  const world = createWorld(EVERY_MINUTE);
  const begun = world.now();
  const floorsFrom = (minute: number): readonly PricePoint[] =>
    Array.from({ length: 40 }, (_, index) => ({
      ...aPrice('65'),
      time: begun + minute * MINUTE + index * 1000,
      price: eth('65') + BigInt(minute + index),
    }));
  floorIs(world, '65');
  await put(world, { metric: 'floor_drawdown_pct.7d', when: 'above', threshold: '50' });
  await minutes(world, 2);
  const record = await world.stores.contracts.get(PUNKS);
  if (record === undefined) throw new Error('the contract is not watched');
  const timeline = [3, 4].reduce((waiting, minute) => {
    const asked = begun + (minute + 1) * MINUTE;
    const floors = floorsFrom(minute);
    return appendPoll(waiting, { asked, answeredAt: { floor: asked }, floors, latest: {} }, false);
  }, record.timeline);
  await world.stores.contracts.put({ ...record, timeline });
  const reported = floorsFrom(5).map((floor) => ({ ...floor, marketplaces: [] }));
  world.answers.floor = () => ({ kind: 'ok', value: reported });
  world.pass(5 * MINUTE);

  await minutes(world, 1);

  const recorded = await world.stores.history.since(PUNKS, 'floor', begun);
  const times = new Set(recorded.map(({ time }) => time));
  expect(floorsFrom(3).filter(({ time }) => !times.has(time))).toEqual([]);
});

it('an episode of missing data continues if the reason changes', async () => {
  const world = createWorld(EVERY_MINUTE);
  const traded = world.now();
  world.answers.lowest = () => ({
    kind: 'ok',
    value: { time: traded, price: eth('70'), tokenIds: ['1'] },
  });
  await put(world, { metric: 'lowest_price.7d', noData: { alert: '10m' } });
  await minutes(world, 2);

  for (let minute = 0; minute < 14; minute += 1) {
    world.answers.lowest = () =>
      minute % 2 === 0 ? { kind: 'throttled' } : { kind: 'failed', reason: 'timeout' };
    await minutes(world, 1);
  }

  expect(emailed(world).map(({ alert }) => alert.kind)).toEqual(['stale']);
});

it('the end of missing data is reported even if its evaluation was interrupted and its message was lost', async () => {
  const world = createWorld(EVERY_MINUTE);
  const sale = { time: world.now(), price: eth('70'), tokenIds: ['1'] };
  const answered = () => ({ kind: 'ok', value: sale }) as const;
  world.answers.lowest = answered;
  await put(world, { metric: 'lowest_price.7d', noData: { alert: '5m' } });
  await minutes(world, 2);
  world.answers.lowest = () => ({ kind: 'failed', reason: 'timeout' });
  await minutes(world, 12);
  world.answers.lowest = answered;
  await world.dispatch();
  const [poll] = world.queues.contracts.waiting;
  world.queues.contracts.remove();
  const ports = world.runContractsPorts();
  const watchesReached = () => Promise.reject(new Error('cut'));
  const message = ContractMessage.parse(JSON.parse(poll?.body ?? ''));
  const evaluation = runContracts({ ...ports, watchesReached }, message);
  await expect(evaluation).rejects.toThrow('cut');

  await minutes(world, 3);

  expect(emailed(world).map(({ alert }) => alert.kind)).toEqual(['stale', 'fresh']);
});

it('an evaluation with outdated answers does not report data as missing if they arrived in the meantime', async () => {
  const world = createWorld(EVERY_MINUTE);
  const sale = { time: world.now(), price: eth('70'), tokenIds: ['1'] };
  const answered = () => ({ kind: 'ok', value: sale }) as const;
  world.answers.lowest = answered;
  await put(world, { metric: 'lowest_price.7d', noData: { alert: '5m' } });
  await minutes(world, 2);
  world.answers.lowest = () => ({ kind: 'failed', reason: 'timeout' });
  await minutes(world, 4);
  const message = { kind: 'evaluate', contract: PUNKS, cadenceMinutes: 1 } as const;
  const ports = world.runContractsPorts();
  let isFirst = true;
  const getContract: typeof ports.getContract = async (contract) => {
    const record = await ports.getContract(contract);
    if (isFirst) {
      isFirst = false;
      world.answers.lowest = answered;
      await minutes(world, 4);
    }
    return record;
  };

  await runContracts({ ...ports, getContract }, message);
  await minutes(world, 1);

  expect(sent(world)).toEqual([]);
});

it('the end of missing data is reported immediately, even if its worker was frozen for minutes', async () => {
  const world = createWorld(EVERY_MINUTE);
  const sale = { time: world.now(), price: eth('70'), tokenIds: ['1'] };
  world.answers.lowest = () => ({ kind: 'ok', value: sale });
  await put(world, { metric: 'lowest_price.7d', noData: { alert: '5m' } });
  await minutes(world, 2);
  const answered = await world.stores.contracts.get(PUNKS);
  world.answers.lowest = () => ({ kind: 'failed', reason: 'timeout' });
  await minutes(world, 4);
  world.pass(2 * MINUTE);
  const ports = world.runContractsPorts();
  let isFirst = true;
  const commitWatch: typeof ports.commitWatch = async (transition) => {
    const record = await ports.getContract(PUNKS);
    if (isFirst && record !== undefined && answered !== undefined) {
      isFirst = false;
      await ports.putContract({ ...record, series: answered.series });
    }
    return await ports.commitWatch(transition);
  };

  const evaluate = { kind: 'evaluate', contract: PUNKS, cadenceMinutes: 1 } as const;
  await runContracts({ ...ports, commitWatch }, evaluate);
  await world.drain();

  expect(emailed(world).map(({ alert }) => alert.kind)).toEqual(['stale', 'fresh']);
});

describe('a worker that applies an edit late', () => {
  it('a worker that applies an edit late, from an outdated job, loses no alert from before the edit', async () => {
    const world = createWorld(EVERY_MINUTE);
    floorIs(world, '65');
    await put(world, {});
    await minutes(world, 2);
    const earlier = {
      list: { tenant: 'acme', id: 'mine' },
      ...{ target: { kind: 'apply' } as const, contracts: [PUNKS] },
      ...{ revision: 1, version: 1, createdAt: world.now(), dueAt: world.now() },
    };
    world.pass(10 * MINUTE);
    floorIs(world, '50');
    const stale = world.runContractsPorts();
    await world.dispatch();
    for (const { body } of [...world.queues.contracts.waiting]) {
      await runContracts(stale, ContractMessage.parse(JSON.parse(body)));
      world.queues.contracts.remove();
    }
    await put(world, { enabled: false });

    const apply = { kind: 'apply', contract: PUNKS, tenant: 'acme', list: 'mine' } as const;
    const notes = [earlier];
    const getJob: typeof stale.getJob = async (...asked) =>
      notes.shift() ?? (await stale.getJob(...asked));
    await runContracts({ ...stale, getJob }, apply);
    await minutes(world, 5);

    expect(sent(world)).toEqual(['fired 50', 'closed null']);
  });
});

describe('a pending state that restarts', () => {
  const stateOf = async (world: World) => {
    const [watch] = await world.stores.watches.ofList({ tenant: 'acme', list: 'mine' }, PUNKS);
    return watch?.state;
  };

  it('a pending state restarts if a higher floor makes the lowest sale low enough to be ignored', async () => {
    const world = createWorld(EVERY_MINUTE);
    const sale = { time: world.now() - HOUR, price: eth('0.6'), tokenIds: [] };
    world.answers.lowest = () => ({ kind: 'ok', value: sale });
    floorIs(world, '58');
    await put(world, {
      ...{ metric: 'sale_discount_pct.1d', when: 'above', threshold: '10', for: '10m' },
    });
    await minutes(world, 3);

    floorIs(world, '61');
    await minutes(world, 2);

    expect(await stateOf(world)).toBe('ok');
    floorIs(world, '59');
    await minutes(world, 9);
    expect(sent(world)).toEqual([]);
    await minutes(world, 4);
    expect(sent(world)).toHaveLength(1);
  });

  it('a pending state restarts if a change in a window temporarily has no value', async () => {
    const world = createWorld(EVERY_MINUTE);
    const start = world.now();
    const at = (price: string, time: number, currency = 'eth') => {
      return { time, price: eth(price), currency, marketplaces: [] };
    };
    const before = [
      at('60', start - 2 * HOUR),
      ...Array.from({ length: 12 }, (_, index) => at('59', start - (58 - index) * MINUTE)),
      at('45', start - MINUTE),
    ];
    world.answers.floor = () => ({ kind: 'ok', value: before });
    await put(world, {
      ...{ metric: 'floor_change_pct.1h', when: 'below', threshold: '-15', for: '40m' },
    });
    await minutes(world, 20);
    expect(await stateOf(world)).toBe('pending');

    const foreign = at('45000', world.now(), 'usdc');
    world.answers.floor = () => ({ kind: 'ok', value: [foreign] });
    await minutes(world, 2);

    expect(await stateOf(world)).toBe('ok');
  });
});
