import { forecastOf } from '#shared/domain/evaluation/forecast.ts';
import { measuredClausesOf } from '#shared/domain/evaluation/measured-clause.ts';
import {
  awaitedClause,
  nextTimer,
  seriesOfWatch,
  type Watch,
  waitingOf,
} from '#shared/domain/evaluation/watch.ts';
import { type Decimal, formatDecimal } from '#shared/domain/market/decimal.ts';
import { momentOf } from '#shared/domain/market/instant.ts';
import { unitShown } from '#shared/domain/metrics/metric.ts';
import { levelInWords } from '#shared/domain/metrics/value-text.ts';
import { nextPollAt } from '#shared/domain/polling/due-work.ts';
import { cadenceAt, type Pace } from '#shared/domain/polling/pace.ts';
import { forecastView } from '#shared/http/forecast-view.ts';
import { seriesView } from '#shared/http/price-view.ts';
import type { WatchExplanation } from './answers/watches.ts';
import { type ContractView, type Silence, waitsForAnything, watchView } from './watch-view.ts';
import { whySilent } from './why-silent.ts';

export function explainWatch(
  watch: Watch,
  contract: ContractView,
  silence: Silence,
  pace: Pace,
): WatchExplanation {
  const { record, now } = contract;
  const cadenceMinutes = record === undefined ? pace.minutes : cadenceAt(pace, record);
  const view = watchView(watch, contract, silence);
  const readings = measuredClausesOf(watch, contract.snapshot, now);
  const series = seriesOfWatch(watch);
  return {
    ...view,
    why: whySilent(watch, { readings, health: view.health, ...silence }),
    forecast: forecastView(forecastOf(watch, contract.snapshot, { now, cadenceMinutes })),
    waitsForInWords: waitsForInWords(watch),
    reported: series.map((name) => seriesView(name, record)),
    nextEvaluation: {
      pollAt: momentOf(record && nextPollAt(record, series, now, cadenceMinutes)),
      cadenceMinutes,
      wakeAt: momentOf(nextTimer(watch)),
    },
  };
}

/** The values that change the state of a watch, in words: `at or below 60 ETH`. */
function waitsForInWords(watch: Watch): string | null {
  const { admin, state, ruleCondition } = watch;
  if (admin !== 'enabled' || state === 'ended') return null;
  if (state === 'firing' && ruleCondition.also !== undefined) {
    return 'a value at which one of the conditions no longer holds';
  }
  if (waitsForAnything(watch)) return 'any new observation';
  const { metric, unit } = awaitedClause(watch) ?? ruleCondition;
  const shown = unitShown(metric, unit);
  const written = (number: Decimal) => {
    const exact = formatDecimal(number);
    return levelInWords(metric, exact, shown, [exact]);
  };
  const { falling, rising } = waitingOf(watch);
  const sides = [
    ...(falling === undefined ? [] : [sideInWords('below', falling, falling + 1n, written)]),
    ...(rising === undefined ? [] : [sideInWords('above', rising, rising - 1n, written)]),
  ];
  return sides.join(' or ') || null;
}

/**
 * One side of a line in words. A number that is past the line by only the smallest unit is written
 * as `below` or `above` the line.
 */
function sideInWords(
  side: 'below' | 'above',
  number: Decimal,
  line: Decimal,
  written: (number: Decimal) => string,
) {
  return formatDecimal(line).length < formatDecimal(number).length
    ? `${side} ${written(line)}`
    : `at or ${side} ${written(number)}`;
}
