import type { Instant } from '#shared/domain/market/instant.ts';
import type { FloorPage, FloorPoint, Outcome } from '#shared/domain/market/upstream.ts';
import type { Market } from './market.ts';
import type { Stream } from './streams.ts';

/** A period in which a provider gives no answer, or reports this percentage of each floor. */
export type Spell = {
  readonly provider: 'first' | 'second';
  readonly from: Instant;
  readonly until: Instant;
  readonly percent: number | 'dead';
};

type Morning = {
  readonly minutes: number;
  /** Converts a minute of the simulated morning to an instant. */
  readonly at: (minute: number) => Instant;
  /** The minute in which an outage begins. */
  readonly outageAt: number | undefined;
};

/**
 * Percentages of the real floor that a faulty feed reports: far outliers, and deviations that the
 * outlier rule accepts.
 */
const PERCENTS = [20, 500, 93, 96, 104, 107] as const;

export function drawSpells(stream: Stream, { minutes, at, outageAt }: Morning): readonly Spell[] {
  const spells: Spell[] = [];
  const add = (
    provider: Spell['provider'],
    percent: Spell['percent'],
    first: number,
    length: number,
  ) => {
    const until = at(Math.min(minutes, first + length));
    spells.push({ provider, percent, from: at(first), until });
  };
  const draw = (provider: Spell['provider'], percent: Spell['percent'], longest: number) =>
    add(provider, percent, stream.between(2, minutes - 5), stream.between(2, longest));
  if (stream.happens(0.7)) draw('first', 'dead', 20);
  for (const provider of ['first', 'second'] as const) {
    for (let left = stream.between(0, 3); left > 0; left -= 1)
      draw(provider, stream.pick(PERCENTS), 12);
  }
  // Reports wrong floors both before and after an outage, so that a dispute lasts longer than a
  // day.
  if (outageAt !== undefined && stream.happens(0.8)) {
    add('second', stream.pick([70, 130]), Math.max(0, outageAt - 10), 60);
  }
  return spells;
}

/** The market as the first provider reports it. */
export function bewitched(market: Market, spells: readonly Spell[]): Market {
  const isDead = (now: Instant) => percentAt(spells, 'first', now) === 'dead';
  return {
    ...market,
    floors: (contract, query, now) => {
      if (isDead(now)) return DEAD;
      const outcome = market.floors(contract, query, now);
      const percent = percentAt(spells, 'first', now);
      return query.cursor === undefined ? withNewest(outcome, percent) : outcome;
    },
    lowest: (contract, days, now) => (isDead(now) ? DEAD : market.lowest(contract, days, now)),
    bestOffer: (contract, now) => (isDead(now) ? DEAD : market.bestOffer(contract, now)),
  };
}

const DEAD = { kind: 'failed', reason: 'server_error' } as const;

/**
 * The percentage of each floor that a provider reports at an instant. The result is `dead` if the
 * provider does not answer.
 */
export function percentAt(spells: readonly Spell[], provider: Spell['provider'], now: Instant) {
  const under = spells.filter(
    (spell) => spell.provider === provider && spell.from <= now && now < spell.until,
  );
  return under.find(({ percent }) => percent === 'dead')?.percent ?? under[0]?.percent ?? 100;
}

export function shareOf<Floor extends Pick<FloorPoint, 'price' | 'usd'>>(
  floor: Floor,
  percent: Spell['percent'],
): Floor {
  if (percent === 'dead' || percent === 100) return floor;
  const part = (price: bigint) => (price * BigInt(percent)) / 100n;
  const usd = floor.usd === undefined ? {} : { usd: part(floor.usd) };
  return { ...floor, price: part(floor.price), ...usd };
}

/** Scales the newest floor, which is the first of the page. */
function withNewest(outcome: Outcome<FloorPage>, percent: Spell['percent']): Outcome<FloorPage> {
  if (outcome.kind !== 'ok') return outcome;
  const points = outcome.value.points.map((point, index) =>
    index === 0 ? shareOf(point, percent) : point,
  );
  return { kind: 'ok', value: { ...outcome.value, points } };
}
