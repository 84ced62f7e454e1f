import { type Collection, shownName } from '#shared/domain/market/collection.ts';
import { type Instant, MINUTE, momentOf } from '#shared/domain/market/instant.ts';
import type { Point } from '#shared/domain/market/point.ts';
import { Provider } from '#shared/domain/market/provider.ts';
import {
  type ContractRecord,
  isUnsupportedBy,
  newestOf,
  seriesIn,
} from '#shared/domain/polling/contract-record.ts';
import { nextPollAt } from '#shared/domain/polling/due-work.ts';
import { cadenceAt, type Pace } from '#shared/domain/polling/pace.ts';
import { seriesHealth } from '#shared/domain/polling/series-health.ts';
import type { WatchedContract } from '#shared/http/own-contracts.ts';
import { seriesView } from '#shared/http/price-view.ts';
import type { ContractRead, ContractSeries } from './answers/contracts.ts';

export function contractView(
  watched: WatchedContract,
  collection: Collection | undefined,
  record: ContractRecord | undefined,
  { now, pace }: { readonly now: Instant; readonly pace: Pace },
): ContractRead {
  const series = record === undefined ? [] : seriesIn(record);
  const cadenceMinutes = record === undefined ? pace.minutes : cadenceAt(pace, record);
  const named = series.map(([name]) => name);
  return {
    contract: watched.contract,
    name: shownName(watched, collection) ?? null,
    watchlists: watched.watchlists,
    collection: collection === undefined ? null : collectionView(collection),
    cadenceMinutes,
    pollAt: momentOf(record && nextPollAt(record, named, now, cadenceMinutes)),
    unsupportedBy:
      record === undefined
        ? []
        : Provider.options.filter((provider) => isUnsupportedBy(record, provider, now)),
    series: series.map(
      ([name, known]): ContractSeries => ({
        ...seriesView(name, record),
        ageMinutes: ageOf(record && newestOf(record, name), now),
        health: {
          ...seriesHealth(name, record),
          since: momentOf(known.since),
          noDataSince: momentOf(known.noDataSince),
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
