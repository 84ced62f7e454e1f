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
import type { WatchedContract } from '#shared/http/own-contracts.ts';
import { partView } from '#shared/http/price-view.ts';
import type { ContractPart, ContractRead } from './answers/contracts.ts';

export function contractView(
  watched: WatchedContract,
  collection: Collection | undefined,
  record: ContractRecord | undefined,
  { now, pace }: { readonly now: Instant; readonly pace: Pace },
): ContractRead {
  const parts = record === undefined ? [] : partsOf(record);
  const cadenceMinutes = record === undefined ? pace.minutes : cadenceAt(pace, record);
  const named = parts.map(([part]) => part);
  return {
    contract: watched.contract,
    name: shownName(watched, collection) ?? null,
    watchlists: watched.watchlists,
    collection: collection === undefined ? null : collectionView(collection),
    cadenceMinutes,
    pollAt: momentOf(record && nextPollAt(record, named, now, cadenceMinutes)),
    lackedBy:
      record === undefined
        ? []
        : Provider.options.filter((provider) => isLackedBy(record, provider, now)),
    parts: parts.map(
      ([part, known]): ContractPart => ({
        ...partView(part, record),
        ageMinutes: ageOf(record && newestOf(record, part), now),
        health: {
          ...partHealth(part, record),
          since: momentOf(known.since),
          silentSince: momentOf(known.silentSince),
          retryAt: momentOf(known.retryAt),
          confirmedBy: known.confirmed?.by ?? null,
          confirmedAt: momentOf(known.confirmed?.at),
        },
      }),
    ),
  };
}

function collectionView({ name, slug, image }: Collection): ContractRead['collection'] {
  return { name, slug, image: image ?? null };
}

function ageOf(newest: Point | undefined, now: Instant): number | null {
  return newest === undefined ? null : Math.max(0, Math.floor((now - newest.time) / MINUTE));
}
