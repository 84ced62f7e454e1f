import { placeOf } from '#shared/domain/alerting/alert.ts';
import type { AlertRecord } from '#shared/domain/alerting/alert-record.ts';
import type { Page } from '#shared/domain/page.ts';
import type { WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import type { Own } from '#shared/http/caller.ts';
import type { ManageWatchlistsPorts } from './ports.ts';

/** Which alerts are asked for; what is undefined asks for any. */
export type AlertFilter = {
  readonly contract?: readonly string[] | undefined;
  readonly rule?: readonly string[] | undefined;
  readonly kind?: readonly string[] | undefined;
  readonly severity?: readonly string[] | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
};

/** So many alerts of each list are read for a page at least, so that a page comes on. */
const FEWEST = 10;

/**
 * A page of what lists have told, newest first. It reads about as many alerts as a page holds, and
 * ten of each list, whatever is asked for: so a page may hold few, or none, before the end.
 */
export async function findAlerts(
  ports: ManageWatchlistsPorts,
  lists: readonly Own<WatchlistId>[],
  filter: AlertFilter,
  { limit, after }: { readonly limit: number; readonly after: string | undefined },
): Promise<Page<AlertRecord, string>> {
  const { from, to } = filter;
  const fromEach = Math.max(FEWEST, Math.ceil(limit / Math.max(1, lists.length)));
  const pages = await Promise.all(
    lists.map((list) =>
      ports.alertsOf(list, { from, to, limit: Math.min(limit, fromEach), after }),
    ),
  );
  // Older than that, a list that has more may have told something between.
  const known = pages.map(({ next }) => next ?? '').reduce((a, b) => (a > b ? a : b), '');
  const read = pages
    .flatMap(({ entries }) => entries)
    .map((record) => ({ record, place: placeOfRecord(record) }))
    .filter(({ place }) => place >= known)
    .toSorted((one, other) => (one.place < other.place ? 1 : -1));
  const page = read.slice(0, limit);
  const last = page.at(-1);
  const isMore = last !== undefined && (known !== '' || page.length < read.length);
  return {
    entries: page.map(({ record }) => record).filter((record) => isAskedFor(record, filter)),
    ...(isMore ? { next: last.place } : {}),
  };
}

/** What places of alerts begin with. */
export const ALERTS = 'ALERT#';

function placeOfRecord({ alert }: AlertRecord): string {
  return `${ALERTS}${placeOf(alert)}`;
}

function isAskedFor({ alert }: AlertRecord, filter: AlertFilter): boolean {
  const { contract, rule, kind, severity } = filter;
  const isOneOf = (value: string | null, wanted: readonly string[] | undefined) =>
    wanted === undefined || (value !== null && wanted.includes(value));
  return (
    isOneOf(alert.contract, contract) &&
    isOneOf(alert.rule, rule) &&
    isOneOf(alert.kind, kind) &&
    isOneOf(alert.severity, severity)
  );
}
