import { earliest, type Instant } from '#shared/domain/market/instant.ts';
import type { Part } from '#shared/domain/market/point.ts';
import type { ContractRecord } from '#shared/domain/polling/contract-record.ts';
import { lookBackOf, partsOfWatch, pastNeededAt, type Watch, wakeAt } from './watch.ts';

/** The start of the needed past: of a window, an episode, or a timer that has come. */
export function neededSince(
  { parts, windowExpiries, unevaluated }: ContractRecord,
  part: Part,
  watches: readonly Watch[],
): Instant | undefined {
  const mine = watches.filter((watch) => partsOfWatch(watch).includes(part));
  const lookBack = part === 'floor' ? Math.max(0, ...mine.map(lookBackOf)) : 0;
  const news = unevaluated.map(({ point }) => point.time);
  const evaluated =
    lookBack > 0 ? [windowExpiries?.until, parts[part]?.newest?.point.time, ...news] : [];
  const since = earliest([
    ...evaluated,
    ...mine.flatMap((watch) => [watch.firedAt, wakeAt(watch)]),
  ]);
  return since === undefined ? undefined : pastNeededAt(since, lookBack);
}
