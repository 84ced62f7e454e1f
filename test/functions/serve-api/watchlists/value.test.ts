import { describe, expect, it } from 'vitest';
import { DAY, HOUR } from '#shared/domain/market/instant.ts';
import {
  APES,
  aContractRecord,
  aPrice,
  aTimeline,
  aWatchlistBody,
  eth,
  NOON,
  PUNKS,
} from '#test/support/builders.ts';
import { ANY, world } from './world.ts';

const PATH = 'GET punks/value';
const held = [
  { contract: PUNKS, name: 'Punks', amount: 2 },
  { contract: APES, amount: 3 },
];
const floor = (price: string, usd: string, time = NOON - HOUR) =>
  aPrice(price, { time, usd: eth(usd) });

/** Creates a list with these contracts, and stores these floors. */
async function listWith(
  contracts: readonly object[],
  floors: Readonly<Record<string, ReturnType<typeof floor>>>,
) {
  const made = world({ now: () => NOON });
  await made.ask('POST', { body: aWatchlistBody({ contracts }) });
  for (const contract of [PUNKS, APES]) {
    const known = floors[contract];
    await made.contracts.put(
      aContractRecord({
        ...{ contract, version: 0 },
        series: { floor: { outcome: known === undefined ? 'empty' : 'ok', answeredAt: NOON } },
        ...(known && { timeline: { ...aTimeline({ floor: known }), accepted: [known] } }),
      }),
    );
    if (known) await made.history.record(contract, 'floor', [known]);
  }
  return made;
}

describe('the value of a list', () => {
  it('the value of a list is the sum of the floors of its tokens, and is returned with each floor', async () => {
    const { ask } = await listWith(held, {
      [PUNKS]: floor('50', '150000'),
      [APES]: floor('4', '12000', NOON - 2 * HOUR),
    });

    const { status, body } = await ask(PATH);

    expect(status).toBe(200);
    expect(body.value).toMatchObject({ price: '112', currency: 'eth', usd: '336000' });
    expect(body.holdings).toMatchObject([
      { contract: PUNKS, name: 'Punks', amount: 2, floor: { price: '50' } },
      { contract: APES, name: null, amount: 3, floor: { price: '4' } },
    ]);
  });

  it('the history of a list value begins when all contracts have a recorded floor', async () => {
    const made = await listWith(held, {
      [PUNKS]: floor('50', '150000'),
      [APES]: floor('4', '12000', NOON - 2 * HOUR),
    });
    await made.history.record(PUNKS, 'floor', [floor('40', '120000', NOON - DAY)]);

    const { body } = await made.ask(PATH);

    const points = body.prices.points.map(({ time, price }: Record<string, string>) => [
      time,
      price,
    ]);
    expect(points).toEqual([
      [new Date(NOON - 2 * HOUR).toISOString(), '92'],
      [new Date(NOON - HOUR).toISOString(), '112'],
    ]);
  });

  it('the value of a list omits a collection that never had a floor', async () => {
    const { ask } = await listWith(held, { [PUNKS]: floor('50', '150000') });

    const { body } = await ask(PATH);

    expect(body.value).toMatchObject({ price: '100' });
    expect(body.holdings[1]).toMatchObject({ contract: APES, floor: null });
  });

  it('the value of a list without tokens is null', async () => {
    const { ask } = await listWith([{ contract: PUNKS }], { [PUNKS]: floor('50', '150000') });

    const { body } = await ask(PATH);

    expect(body).toEqual({ contract: null, value: null, holdings: [], prices: null });
  });

  it('the response with a list value contains the key under which rules watch this value', async () => {
    const { ask } = await listWith(held, {});
    const rules = [{ id: 'less', metric: 'list_value', when: 'below', threshold: '100' }];
    await ask('PUT punks', { ...ANY, body: aWatchlistBody({ contracts: held, rules }) });

    const { body } = await ask(PATH);
    const path = { watchlist: 'punks', contract: body.contract, rule: 'less' };
    const watch = await ask('GET /v1/watchlists/{watchlist}/watches/{contract}/{rule}', { path });

    expect(watch).toMatchObject({ status: 200, body: { rule: 'less', contract: body.contract } });
  });
});
