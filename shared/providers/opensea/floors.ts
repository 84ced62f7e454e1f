import { defined } from '#shared/domain/defined.ts';
import type { Contract } from '#shared/domain/market/contract.ts';
import type { Decimal } from '#shared/domain/market/decimal.ts';
import { DAY, HOUR, type Instant } from '#shared/domain/market/instant.ts';
import {
  type FloorInterval,
  type FloorPage,
  type FloorPoint,
  type FloorQuery,
  type KnownFloor,
  mapOutcome,
  type Outcome,
  type Statistics,
} from '#shared/domain/market/upstream.ts';
import type { ProviderSettings } from '#shared/providers/call-provider.ts';
import { EMPTY, observedFloor } from '#shared/providers/prices.ts';
import { NOT_OF_TRAITS } from '#shared/providers/whole-contracts.ts';
import { readFloorHistory, readFloorNow } from './answers.ts';
import type { Ask } from './ask.ts';
import { traitFloor } from './trait-floors.ts';

/** The history is not requested if the newest known floor is at most this old. */
const JOINS_WITHIN = HOUR;
/** How long a dollar rate is reused. */
const DOLLARS_FOR = HOUR;

/** The dollar rates by currency. */
export type Dollars = Map<
  string,
  {
    readonly askedAt: Instant;
    /** A floor with its value in dollars; undefined if none was reported. */
    readonly worth: { readonly price: Decimal; readonly usd: Decimal } | undefined;
  }
>;

/**
 * The current floor. The recorded floors before it are included if the newest known floor is old.
 * They are also included if the dollar rate of the currency is unknown, because the current floor
 * has no dollar value. If the history is unavailable, the current floor alone is returned.
 */
export async function pollFloor(
  settings: ProviderSettings,
  ask: Ask,
  dollars: Dollars,
  contract: Contract,
  {
    interval,
    askedAt,
    newest,
    reachesBack,
  }: Pick<FloorQuery, 'interval'> & NonNullable<FloorQuery['poll']>,
): Promise<Outcome<FloorPage>> {
  const { traits } = contract;
  const found: Outcome<FloorPoint & { readonly statistics?: Statistics }> =
    traits === undefined
      ? await ask(
          (slug) => `collections/${slug}/stats`,
          {},
          (body) => readFloorNow(body, askedAt),
        )
      : await traitFloor(ask, { ...contract, traits }, askedAt);
  if (found.kind !== 'ok') return found;
  const { statistics, ...now } = found.value;
  const isJoined = !reachesBack && newest !== undefined && askedAt - newest.time <= JOINS_WITHIN;
  const areDollarsKnown = askedAt - (dollars.get(now.currency)?.askedAt ?? 0) <= DOLLARS_FOR;
  // For traits there is no history; the recorded floors are floors of the whole collection.
  const isAlone = isJoined || traits !== undefined;
  const carried = defined({ statistics });
  const cut = traits === undefined ? {} : { isCut: true as const };
  if (isAlone && areDollarsKnown) {
    return { kind: 'ok', value: { points: [observed(now, newest, dollars)], ...cut, ...carried } };
  }
  const past = await recordedFloors(settings, ask, contract, interval);
  const worth = past.kind === 'ok' ? worthOf(now.currency, past.value, askedAt) : undefined;
  dollars.set(now.currency, { askedAt, worth });
  const point = observed(now, newest, dollars);
  if (isAlone) return { kind: 'ok', value: { points: [point], ...cut, ...carried } };
  const before = past.kind === 'ok' ? past.value.filter(({ time }) => time < point.time) : [];
  const isCut = past.kind !== 'ok' && past.kind !== 'empty';
  const points = [point, ...before];
  return { kind: 'ok', value: { points, ...(isCut ? { isCut } : {}), ...carried } };
}

/** The recorded floors of an interval, on a single page. */
export async function floorPage(
  settings: ProviderSettings,
  ask: Ask,
  contract: Contract,
  interval: FloorInterval,
): Promise<Outcome<FloorPage>> {
  if (contract.traits !== undefined) return NOT_OF_TRAITS;
  return mapOutcome(await recordedFloors(settings, ask, contract, interval), (points) => ({
    points,
  }));
}

function observed(now: FloorPoint, newest: KnownFloor | undefined, dollars: Dollars): FloorPoint {
  const worth = dollars.get(now.currency)?.worth;
  const usd = worth === undefined ? {} : { usd: (now.price * worth.usd) / worth.price };
  return observedFloor({ ...now, ...usd }, newest);
}

/** The newest floor in `unit` that is at most two hours old and has a value in dollars. */
function worthOf(unit: string, floors: readonly FloorPoint[], now: Instant) {
  const [worth] = floors.flatMap(({ time, currency, price, usd }) =>
    currency === unit && usd !== undefined && now - time <= 2 * HOUR ? [{ price, usd }] : [],
  );
  return worth;
}

/** OpenSea's time frames of the floor history, with the number of points to request. */
const SPANS: Readonly<Record<FloorInterval, { timeframe: string; points: number; days: number }>> =
  {
    '1d': { timeframe: 'one_day', points: 96, days: 1 },
    '7d': { timeframe: 'seven_days', points: 168, days: 7 },
    '30d': { timeframe: 'thirty_days', points: 240, days: 30 },
    '60d': { timeframe: 'one_year', points: 365, days: 60 },
    '90d': { timeframe: 'one_year', points: 365, days: 90 },
    '1y': { timeframe: 'one_year', points: 365, days: 366 },
    all: { timeframe: 'all_time', points: 365, days: 36_600 },
  };

export async function recordedFloors(
  { now }: ProviderSettings,
  ask: Ask,
  contract: Contract,
  interval: FloorInterval,
): Promise<Outcome<readonly FloorPoint[]>> {
  const { timeframe, points, days } = SPANS[interval];
  const outcome = await ask(
    (slug) => `collections/${slug}/floor_prices`,
    { timeframe, resolution: `${points}` },
    (body) => readFloorHistory(body, contract, now()),
  );
  if (outcome.kind !== 'ok') return outcome;
  const within = outcome.value.filter(({ time }) => time >= now() - days * DAY);
  return within.length === 0 ? EMPTY : { kind: 'ok', value: within };
}
