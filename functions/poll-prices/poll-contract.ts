import { defined } from '#shared/domain/defined.ts';
import { CANARY, canaryFloor } from '#shared/domain/market/canary.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { UpstreamCall } from '#shared/domain/market/operations.ts';
import {
  type PriceSeriesName,
  priceSeries,
  STATISTICS,
} from '#shared/domain/market/price-series.ts';
import type { Outcome } from '#shared/domain/market/upstream.ts';
import { type ContractRecord, isUnsupportedBy } from '#shared/domain/polling/contract-record.ts';
import { floorPrices } from '#shared/domain/polling/floor-pages.ts';
import type { PlannedPoll } from '#shared/domain/polling/minute-plan.ts';
import type { ReservedCall } from '#shared/domain/polling/reserved-call.ts';
import { callOnce, makeReservedCall } from '#shared/use-cases/rate-limited-call.ts';
import { waitForAll } from '#shared/use-cases/wait-for-all.ts';
import { withOthers } from './ask-others.ts';
import { type Asked, carriedAnswer, fetchSeries, requestResult } from './ask-series.ts';
import { backfill } from './backfill.ts';
import { commitAnswers } from './commit-answers.ts';
import type { PollPricesPorts, PriceSource } from './ports.ts';

/**
 * Makes the planned calls of a contract and commits the answers. `source` is the provider for which
 * the calls were planned.
 *
 * Returns the committed record. A poll that changes nothing writes nothing and returns undefined.
 */
export async function pollContract(
  ports: PollPricesPorts,
  source: PriceSource,
  poll: PlannedPoll,
  signal: AbortSignal,
): Promise<ContractRecord | undefined> {
  const { record } = poll;
  const asked = await waitForAll(askAll(ports, source, poll, signal));
  const carried = asked.flatMap((one) => carriedIn(record, one));
  const all = [...asked, ...carried];
  const answers = all.flatMap(({ answer }) => (answer === undefined ? [] : [answer]));
  const unasked = all.flatMap(({ series, answer }) => (answer === undefined ? [series] : []));
  if (unasked.length > 0 && record.contract !== CANARY) {
    ports.report('contract_not_polled', { contract: record.contract, series: unasked });
  }
  const { page } = asked.find(({ series }) => priceSeries(series).hasPast) ?? {};
  const filling = page && (await backfill(ports, record, page, signal));
  const unsupportedBy = asked.flatMap((one) => one.unsupportedBy ?? []);
  return await commitAnswers(ports, record, { answers, unasked, filling, unsupportedBy });
}

/** The answers about series that come with the floor. */
function carriedIn(
  record: ContractRecord,
  asked: Asked,
): readonly Pick<Asked, 'series' | 'answer'>[] {
  if (asked.series !== 'floor') return [];
  return STATISTICS.filter((series) => record.series[series] !== undefined).map((series) => ({
    series,
    ...defined({ answer: carriedAnswer(series, asked) }),
  }));
}

/** Requests all price series concurrently, so that none delays another. */
function askAll(
  ports: PollPricesPorts,
  source: PriceSource,
  { record, series, calls }: PlannedPoll,
  signal: AbortSignal,
): readonly Promise<Asked>[] {
  if (record.contract === CANARY) {
    return series.map(async (name) => askedOfCanary(name, ports.now()));
  }
  const isUnsupported = isUnsupportedBy(record, source.provider, ports.now());
  return series.map(async (name): Promise<Asked> => {
    const planned = isUnsupported ? undefined : calls[name];
    const asked = await askPlanned(source, record, name, planned, signal);
    return await withOthers(ports, source, record, asked, signal);
  });
}

/** The fixed answer about the canary, which has a floor and no other series. */
function askedOfCanary(series: PriceSeriesName, now: Instant): Asked {
  if (series !== 'floor') return { series };
  const { points } = floorPrices({ points: [canaryFloor(now)] }, '1d', now);
  return { series, answer: { series, askedAt: now, outcome: { kind: 'ok', value: points } } };
}

async function askPlanned(
  source: PriceSource,
  record: ContractRecord,
  series: PriceSeriesName,
  planned: ReservedCall | undefined,
  signal: AbortSignal,
): Promise<Asked> {
  if (planned === undefined) return { series };
  const fetch = (call: UpstreamCall) => (askedAt: Instant) =>
    fetchSeries(source, record, series, call, askedAt, signal);
  const made = await makeReservedCall(source, planned, fetch(planned.call), signal);
  if (made?.call !== 'lowestprice' || !isNotOffered(made.outcome))
    return requestResult(series, made);
  // The provider does not offer the first of two calls, so the other is made immediately.
  const next = await callOnce(source, ['price'], (call, at) => fetch(call)(at), signal);
  return requestResult(series, next.call === undefined ? undefined : next);
}

function isNotOffered(outcome: Outcome<unknown>): boolean {
  if (outcome.kind === 'denied') return outcome.reason === 'plan';
  if (outcome.kind !== 'unsupported') return false;
  return outcome.reason === 'retired' || outcome.reason === 'chain';
}
