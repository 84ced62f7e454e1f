import { isForPeople } from '#shared/channels/channel.ts';
import { shortContract } from '#shared/domain/alerting/alert-words.ts';
import type { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import { channelOf, destinationIdsOfList } from '#shared/domain/channels/destination-id.ts';
import { shownName } from '#shared/domain/market/collection.ts';
import { formatInstant, type Instant } from '#shared/domain/market/instant.ts';
import { seriesOfMetric } from '#shared/domain/metrics/metric.ts';
import { CONTACT_POINTS } from '#shared/domain/watchlists/contact-points.ts';
import { metricsOf } from '#shared/domain/watchlists/count-watches.ts';
import type { Job } from '#shared/domain/watchlists/job.ts';
import {
  currentFloor,
  nextReport,
  type Reported,
  type ReportTimes,
  reportAlert,
  reportSpan,
  type TradedStatistic,
  tradedSeries,
} from '#shared/domain/watchlists/list-report.ts';
import { tokensHeld } from '#shared/domain/watchlists/value-member.ts';
import { type Member, rulesOn, type Watchlist } from '#shared/domain/watchlists/watchlist.ts';
import { collectionOf } from '#shared/use-cases/collection-of.ts';
import { inGroups } from '#shared/use-cases/in-groups.ts';
import { paceOfTenant } from '#shared/use-cases/pace-of-tenant.ts';
import { postAlerts } from '#shared/use-cases/post-alerts.ts';
import { waitForAll } from '#shared/use-cases/wait-for-all.ts';
import type { JobOutcome } from './job-outcome.ts';
import type { RunJobsPorts } from './ports.ts';

/**
 * How many floors of each collection a report reads, evenly spaced from the start to the end of the
 * span.
 */
const FLOORS = 8;
/** Collections read concurrently. */
const AT_ONCE = 25;
/** Alerts read per page. */
const PAGE = 200;

/**
 * At each report time, sends one report about a list to those of its channels that reach people:
 * how the floors have moved, and which rules have fired. If an outage delays several reports, only
 * one report is made afterwards.
 */
export async function reportList(ports: RunJobsPorts, job: Job): Promise<JobOutcome> {
  const readAt = ports.now();
  const list = await ports.getWatchlist(job.list);
  const { report } = list ?? {};
  if (list === undefined || list.deleted || report === undefined) return 'done';
  // The message may be a duplicate.
  if (readAt < job.dueAt) return 'unchanged';
  const { members, onValue } = await reportedOf(ports, list, report, job.dueAt);
  const alert = reportAlert(list, report, job.dueAt, members, onValue);
  await postAlerts(ports, [alert], await readersOf(ports, list));
  return { dueAt: nextReport(report, list.timeZone, ports.now()) };
}

/** The channels of a list that reach people. Programs can use the API instead. */
async function readersOf(ports: RunJobsPorts, list: Watchlist): Promise<readonly DestinationId[]> {
  const { tenant, contactPoints } = list;
  const shared =
    contactPoints.length === 0
      ? undefined
      : await ports.getWatchlist({ tenant, id: CONTACT_POINTS });
  const isProgram = (destinationId: DestinationId) => {
    const id = channelOf(destinationId);
    const owner = id?.list.id === CONTACT_POINTS ? shared : list;
    const channel = owner?.channels.find((one) => one.id === id?.channel);
    return channel !== undefined && !isForPeople(channel);
  };
  const all = destinationIdsOfList(list, { severity: 'info' }, ports);
  return all.filter((destinationId) => !isProgram(destinationId));
}

async function reportedOf(
  ports: RunJobsPorts,
  list: Watchlist,
  report: ReportTimes,
  due: Instant,
): Promise<{ readonly members: readonly Reported[]; readonly onValue: readonly string[] }> {
  const from = due - reportSpan(report);
  const [fired, { minutes }] = await Promise.all([
    firedIn(ports, list, from, due),
    paceOfTenant(ports, list.tenant),
  ]);
  const amounts = new Map(tokensHeld(list).map(({ contract, amount }) => [contract, amount]));
  const members = await inGroups(
    list.members,
    AT_ONCE,
    async (member): Promise<Reported> => ({
      name: await nameOf(ports, member),
      ...(await floorsOf(ports, member, { from, to: due, cadenceMinutes: minutes })),
      traded: await tradedOf(ports, list, member, report, due),
      amount: amounts.get(member.contract) ?? 0,
      fired: fired.get(member.contract) ?? [],
    }),
  );
  const { value } = list;
  return { members, onValue: (value && fired.get(value.contract)) ?? [] };
}

async function nameOf({ getCollection }: RunJobsPorts, member: Member): Promise<string> {
  const { contract, name } = member;
  const collection = name === undefined ? await collectionOf(getCollection, contract) : undefined;
  return shownName(member, collection) ?? shortContract(contract) ?? contract;
}

async function floorsOf(
  { valueAt }: RunJobsPorts,
  { contract }: Member,
  {
    from,
    to,
    cadenceMinutes,
  }: { readonly from: Instant; readonly to: Instant; readonly cadenceMinutes: number },
): Promise<Pick<Reported, 'floors' | 'newest'>> {
  const step = (to - from) / (FLOORS - 1);
  const moments = Array.from({ length: FLOORS }, (_, index) => Math.round(from + index * step));
  const known = await waitForAll(
    moments.map(async (moment) => (await valueAt(contract, 'floor', moment)).at(-1)),
  );
  return {
    floors: known.map((floor, index) => currentFloor(floor, moments[index] ?? to, cadenceMinutes)),
    newest: known.at(-1),
  };
}

/** The trade statistics that rules of the list use for a collection. */
async function tradedOf(
  { valueAt }: RunJobsPorts,
  list: Watchlist,
  { contract }: Member,
  report: ReportTimes,
  due: Instant,
): Promise<readonly TradedStatistic[]> {
  const read = rulesOn(list, contract).flatMap((rule) =>
    metricsOf(rule).flatMap(({ metric }) => seriesOfMetric(metric)),
  );
  const traded = await waitForAll(
    tradedSeries(read, report).map(async (series) => ({
      series,
      point: (await valueAt(contract, series, due)).at(-1),
    })),
  );
  return traded.flatMap(({ series, point }) => (point === undefined ? [] : [{ series, point }]));
}

/** The rules that fired on each contract between two instants, one for each alert. */
async function firedIn(
  { alertsOfList }: RunJobsPorts,
  list: Watchlist,
  from: Instant,
  to: Instant,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const fired = new Map<string, readonly string[]>();
  const span = { from: formatInstant(from), to: formatInstant(to) };
  let after: string | undefined;
  do {
    const page = await alertsOfList(list, { ...span, limit: PAGE, after });
    for (const { alert } of page.entries) {
      const { kind, contract, rule } = alert;
      if (kind !== 'fired' || contract === null || rule === null) continue;
      fired.set(contract, [...(fired.get(contract) ?? []), rule]);
    }
    after = page.next;
  } while (after !== undefined);
  return fired;
}
