import { alertSortKey } from '#shared/domain/alerting/alert.ts';
import type { AlertRecord } from '#shared/domain/channels/alert-record.ts';
import type { ReadPage } from '#shared/domain/unreadable.ts';
import type { WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import type { Own } from '#shared/http/caller.ts';
import { type FilledPage, fillPage } from '#shared/use-cases/fill-page.ts';
import type { ManageWatchlistsPorts } from './ports.ts';

/** A filter for alerts. An undefined member matches every alert. */
export type AlertFilter = {
  readonly contract?: readonly string[] | undefined;
  readonly rule?: readonly string[] | undefined;
  readonly kind?: readonly string[] | undefined;
  readonly severity?: readonly string[] | undefined;
  /** A text that the visible words of the alert must contain. The search ignores case. */
  readonly text?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
};

/** Minimum number of alerts to read from each list, so that every read makes progress. */
const FEWEST = 10;

/** A page of the alerts of lists, newest first. */
export async function findAlerts(
  ports: ManageWatchlistsPorts,
  lists: readonly Own<WatchlistId>[],
  filter: AlertFilter,
  asked: { readonly limit: number; readonly after: string | undefined },
): Promise<FilledPage<AlertRecord>> {
  return await fillPage(
    (limit, after) => readAlerts(ports, lists, filter, { limit, after }),
    async (records) => records.filter((record) => isAskedFor(record, filter)),
    { ...asked, placeOf: placeOfRecord },
  );
}

/**
 * Merges the alerts of all lists by sort key. If a list has alerts that were not read, the page
 * ends before them, because a page must not skip alerts.
 */
export async function readAlerts(
  ports: ManageWatchlistsPorts,
  lists: readonly Own<WatchlistId>[],
  { from, to }: AlertFilter,
  { limit, after }: { readonly limit: number; readonly after: string | undefined },
): Promise<ReadPage<AlertRecord>> {
  const fromEach = Math.max(FEWEST, Math.ceil(limit / Math.max(1, lists.length)));
  const pages = await Promise.all(
    lists.map((list) =>
      ports.alertsOf(list, { from, to, limit: Math.min(limit, fromEach), after }),
    ),
  );
  // Below this sort key, alerts may be missing, because some list has more pages.
  const known = pages.map(({ next }) => next ?? '').reduce((a, b) => (a > b ? a : b), '');
  const read = pages
    .flatMap(({ entries }) => entries)
    .map((record) => ({ record, place: placeOfRecord(record) }))
    .filter(({ place }) => place >= known)
    .toSorted((one, other) => (one.place < other.place ? 1 : -1));
  const page = read.slice(0, limit);
  const end = page.length < read.length ? page.at(-1)?.place : known;
  return {
    entries: page.map(({ record }) => record),
    unreadable: pages.flatMap(({ unreadable }) => unreadable),
    ...(end ? { next: end } : {}),
  };
}

/** The prefix of the sort keys of alerts. */
export const ALERTS = 'ALERT#';

export function placeOfRecord({ alert }: AlertRecord): string {
  return `${ALERTS}${alertSortKey(alert)}`;
}

export function isAskedFor({ alert }: AlertRecord, filter: AlertFilter): boolean {
  const { contract, rule, kind, severity, text = '' } = filter;
  const isOneOf = (value: string | null, wanted: readonly string[] | undefined) =>
    wanted === undefined || (value !== null && wanted.includes(value));
  return (
    isOneOf(alert.contract, contract) &&
    isOneOf(alert.rule, rule) &&
    isOneOf(alert.kind, kind) &&
    isOneOf(alert.severity, severity) &&
    has(text.toLowerCase(), alert)
  );
}

/** Whether the visible words of an alert contain a text. */
function has(text: string, { label, rule, name, title }: AlertRecord['alert']): boolean {
  return [label, rule, name, title].some((words) => words?.toLowerCase().includes(text));
}
