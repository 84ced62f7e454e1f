import { type Decimal, ONE } from '#shared/domain/market/decimal.ts';
import { type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import type { ContractRecord } from '#shared/domain/polling/contract-record.ts';
import {
  answeredAtOf,
  countedFrom,
  type Evidence,
  heldAt,
  knownAsOf,
  knownOf,
} from './evidence.ts';
import { GREATEST, type LadderName, LEAST, type Reach } from './ladder.ts';
import { type Known, measure } from './measure.ts';
import { isClock, type Metric, partsOfMetric, slidesBetween, windowOf } from './metric.ts';

/**
 * What a look reaches on each ladder in which watches of a contract wait: the lowest and the highest
 * value of the newest and all unjudged observations, and of the slides that are not judged yet.
 */
export function reachesOf(
  { contract, ladders }: ContractRecord,
  evidence: Evidence,
  now: Instant,
): readonly Reach[] {
  return ladders.flatMap((name): Reach[] => {
    const values = valuesOn(name, evidence, now);
    if (values.length === 0) return [];
    return [
      { contract, ...name, ladder: 'falling', value: least(values) },
      { contract, ...name, ladder: 'rising', value: greatest(values) },
    ];
  });
}

function valuesOn(
  { metric, unit }: LadderName,
  evidence: Evidence,
  now: Instant,
): readonly Decimal[] {
  // Rules whose conditions must hold together wait there for any news.
  if (metric === 'all') return [0n];
  if (isClock(metric)) {
    const [part = 'floor'] = partsOfMetric(metric);
    const from = countedFrom(metric, evidence.parts[part], now);
    return from === undefined ? [] : [(BigInt(Math.max(0, now - from)) * ONE) / BigInt(MINUTE)];
  }
  return momentsOf(metric, evidence).flatMap(({ known, time }) => {
    const measured = measure(metric, unit, known, time);
    if (measured.kind === 'value') return [measured.value];
    // "No trade" stands above every number.
    return measured.why === 'no_sale' ? [GREATEST] : [];
  });
}

/** The moments of a look at which a metric may have another value: what was known, and when. */
function momentsOf(metric: Metric, evidence: Evidence) {
  const parts = partsOfMetric(metric);
  const window = windowOf(metric);
  const floors = knownOf(evidence, ['floor']).get('floor') ?? [];
  const limit = answeredAtOf(evidence, parts);
  const after = evidence.slidUntil ?? limit ?? 0;
  const news = parts
    .flatMap((part) => evidence.parts[part]?.unjudged ?? [])
    .flatMap(({ seq }) => {
      const known = knownAsOf(evidence, parts, seq);
      return [newestTime(known), Math.max(newestTime(known), after)].map((time) => ({
        known,
        time,
      }));
    });
  const slides =
    window === undefined || limit === undefined
      ? []
      : slidesBetween(window, floors, after, limit).map((time) => ({
          known: heldAt(evidence, parts, time),
          time,
        }));
  const known = knownOf(evidence, parts);
  return [...news, ...slides, { known, time: Math.max(newestTime(known), limit ?? 0) }];
}

function newestTime(known: Known): Instant {
  return Math.max(0, ...[...known.values()].flatMap((points) => points.at(-1)?.time ?? []));
}

function least(values: readonly Decimal[]): Decimal {
  return values.reduce((low, value) => (value < low ? value : low), GREATEST);
}

function greatest(values: readonly Decimal[]): Decimal {
  return values.reduce((high, value) => (value > high ? value : high), LEAST);
}
