import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import { type ReceivedRequest, startHttpServer } from '#test/support/http-server.ts';
import { startWorld } from '#test/support/lived-stack.ts';

const CADENCE = 5;
const SPAN = 3 * CADENCE;
const LISTS = 10;
const INVENTED = 90;
/** Capacity for about forty contracts every five minutes, while nine hundred more are requested. */
const UNITS_PER_DAY = (40 * 50 * 1440) / CADENCE / 0.6;

it('nine hundred invented addresses delay no poll of another tenant', async () => {
  await using open = new AsyncDisposableStack();
  const asked = new Map<string, Instant[]>();
  let now: () => Instant = () => 0;
  let provider = '';
  const passOn = async (response: ServerResponse, { path, query, headers }: ReceivedRequest) => {
    const answer = await fetch(`${provider}${path}?${query.toString()}`, {
      headers: { 'x-api-key': String(headers['x-api-key']) },
    });
    response.statusCode = answer.status;
    response.end(await answer.text());
  };
  await using counting = await startHttpServer((response, request) => {
    const address = request.path.split('/')[4] ?? '';
    asked.set(address, [...(asked.get(address) ?? []), now()]);
    void passOn(response, request);
  });
  const { ask, keyOf, market, upstream, clock, pass } = await startWorld(open, {
    upstreamUrl: counting.url,
    pollCadenceMinutes: CADENCE,
    upstreamCallsPerSecond: 100,
    upstreamBudgetPerDay: UNITS_PER_DAY,
    upstreamBudgetPerMonth: 31 * UNITS_PER_DAY,
  });
  const [modest, greedy] = await Promise.all([keyOf('modest'), keyOf('greedy')]);
  const put = (key: string, id: string, contracts: readonly string[]) =>
    ask(
      'POST /v1/watchlists',
      {
        ...{ id, name: id, contracts, channels: [] },
        rules: [{ id: 'low', metric: 'floor_price', when: 'below', threshold: '0.01' }],
      },
      { 'x-api-key': key, 'idempotency-key': `"${id}"` },
    );
  const mine = market
    .contracts()
    .slice(0, 5)
    .map(({ contract }) => contract);
  /**
   * The longest time in minutes between two polls of any contract that the modest tenant watches.
   */
  const longestWait = async () => {
    const from = clock.now();
    await pass(SPAN);
    const waits = mine.flatMap((contract) => {
      const times = (asked.get(contract.split(':')[1] ?? '') ?? []).filter((at) => at >= from);
      return [...times, clock.now()].map((at, index) => at - (times[index - 1] ?? from));
    });
    return Math.max(...waits) / MINUTE;
  };
  now = clock.now;
  provider = upstream.url;
  await put(modest, 'mine', mine);
  await pass(2);

  const before = await longestWait();
  for (let list = 0; list < LISTS; list += 1) {
    const invented = Array.from({ length: INVENTED }, (_, index) => {
      const number = (list * INVENTED + index + 1) * 7919;
      return `eth:0x${number.toString(16).padStart(40, '0')}`;
    });
    await put(greedy, `list-${list}`, invented);
  }
  const during = await longestWait();

  process.stderr.write(
    `fair polling: ${before.toFixed(1)} minutes at most alone, ${during.toFixed(1)} beside ${LISTS * INVENTED} invented addresses\n`,
  );
  expect(before).toBeLessThanOrEqual(CADENCE + 1);
  expect(during / before).toBeLessThanOrEqual(2);
}, 300_000);
