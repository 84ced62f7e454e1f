import { type Collection, shownName } from '#shared/domain/market/collection.ts';
import { type Instant, MINUTE, momentOf } from '#shared/domain/market/instant.ts';
import type { Point } from '#shared/domain/market/point.ts';
import { Provider } from '#shared/domain/market/provider.ts';
import {
  type ContractRecord,
  isLackedBy,
  newestOf,
  partsOf,
} from '#shared/domain/polling/contract-record.ts';
import { nextPollAt } from '#shared/domain/polling/due-work.ts';
import { cadenceAt, type Pace } from '#shared/domain/polling/pace.ts';
import { partHealth } from '#shared/domain/polling/part-health.ts';
import { partView } from '#shared/domain/polling/part-view.ts';
import type { WatchedContract } from '#shared/http/own-contracts.ts';

/**
 * A contract as its watchers read it: the last prices, their health, and the next poll.
 */
export function contractView(
  watched: WatchedContract,
  collection: Collection | undefined,
  record: ContractRecord | undefined,
  { now, pace }: { readonly now: Instant; readonly pace: Pace },
) {
  const parts = record === undefined ? [] : partsOf(record);
  const cadenceMinutes = record === undefined ? pace.minutes : cadenceAt(pace, record);
  const named = parts.map(([part]) => part);
  return {
    contract: watched.contract,
    name: shownName(watched, collection) ?? null,
    watchlists: watched.watchlists,
    collection: collection === undefined ? null : collectionView(collection),
    cadenceMinutes,
    /** The minute of the next poll, as far as rate and budget allow it. */
    pollAt: momentOf(record && nextPollAt(record, named, now, cadenceMinutes)),
    /** The other providers that have answered that they lack it. */
    lackedBy:
      record === undefined
        ? []
        : Provider.options.filter((provider) => isLackedBy(record, provider, now)),
    parts: parts.map(([part, known]) => ({
      ...partView(part, record),
      ageMinutes: ageOf(record && newestOf(record, part), now),
      health: {
        ...partHealth(part, record),
        since: momentOf(known.since),
        /** Since when no usable answer came, for any reason. */
        silentSince: momentOf(known.silentSince),
        /** When the part is asked again on its own, after an answer without a value. */
        retryAt: momentOf(known.retryAt),
        /** The other provider that vouched for the price, and when. */
        confirmedBy: known.confirmed?.by ?? null,
        confirmedAt: momentOf(known.confirmed?.at),
      },
    })),
  };
}

function collectionView({ name, slug, image }: Collection) {
  return { name, slug, image: image ?? null };
}

function ageOf(newest: Point | undefined, now: Instant): number | null {
  return newest === undefined ? null : Math.max(0, Math.floor((now - newest.time) / MINUTE));
}
