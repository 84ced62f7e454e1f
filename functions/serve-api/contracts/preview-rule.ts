import { MESSAGES } from '#shared/channels/messages.ts';
import type { RuleAlert } from '#shared/domain/alerting/alert.ts';
import { defined } from '#shared/domain/defined.ts';
import { forecastOf } from '#shared/domain/evaluation/forecast.ts';
import { ignoredPrices } from '#shared/domain/evaluation/ignored-prices.ts';
import {
  type ReportedPast,
  replayWatch,
  reportedPast,
} from '#shared/domain/evaluation/replay-watch.ts';
import {
  isNoDataWatch,
  isSourceWatch,
  lookBackOf,
  seriesOfWatch,
  type Watch,
} from '#shared/domain/evaluation/watch.ts';
import { LIMITS } from '#shared/domain/limits.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { formatDecimal } from '#shared/domain/market/decimal.ts';
import { isDerived } from '#shared/domain/market/derived-key.ts';
import { formatInstant, HOUR, type Instant, momentOf } from '#shared/domain/market/instant.ts';
import { withoutGlitches } from '#shared/domain/market/outlier.ts';
import type { PricePoint } from '#shared/domain/market/point.ts';
import { type PriceSeriesName, priceSeries } from '#shared/domain/market/price-series.ts';
import { clockOf } from '#shared/domain/metrics/metric.ts';
import type { ContractRecord } from '#shared/domain/polling/contract-record.ts';
import { pricesFrom, sourcesOf } from '#shared/domain/polling/derived-answer.ts';
import type { AlertRule } from '#shared/domain/rules/alert-rule.ts';
import { warningsOn } from '#shared/domain/rules/rule-warnings.ts';
import { applyList } from '#shared/domain/watchlists/apply-list.ts';
import { tokensOf, watchedMembers } from '#shared/domain/watchlists/value-member.ts';
import { revise, rulesOn, type Watchlist } from '#shared/domain/watchlists/watchlist.ts';
import type { MemberBody } from '#shared/domain/watchlists/watchlist-body.ts';
import type { CallerTenant } from '#shared/http/caller.ts';
import { forecastView } from '#shared/http/forecast-view.ts';
import { ownContracts } from '#shared/http/own-contracts.ts';
import { paceOfTenant } from '#shared/use-cases/pace-of-tenant.ts';
import { readSnapshot } from '#shared/use-cases/read-snapshot.ts';
import type {
  ContractPreview,
  IgnoredPrice,
  Preview,
  PreviewedMessage,
  SeriesHistory,
} from './answers/preview.ts';
import { type BackFill, backFill } from './back-fill.ts';
import type { ReadContractsPorts } from './ports.ts';

/** The period of a replay. */
export type Span = { readonly from: Instant; readonly to: Instant };

/**
 * Maximum number of recorded prices of one series. Enough for a year of daily prices, with more
 * than one price an hour in its last month.
 */
const MOST_POINTS = 2000;
/**
 * Maximum evaluations of one preview, for all contracts together. This many evaluations take
 * several seconds if each of them reads all past prices.
 */
export const MOST_LOOKS = 10_000;
/** Maximum back-fill pages of one preview, for all contracts together: a month of hourly floors. */
export const MOST_PAGES = 10;

/**
 * Replays a rule over a past span. Returns the alerts that the rule would have sent, and the
 * forecast for the rule.
 */
export async function previewRule(
  ports: ReadContractsPorts,
  tenant: CallerTenant,
  { rule, contracts }: { readonly rule: AlertRule; readonly contracts: readonly MemberBody[] },
  span: Span,
  signal: AbortSignal,
): Promise<Preview> {
  const body = { name: 'preview', contracts: [...contracts], rules: [rule], channels: [] };
  const list = revise({ tenant, id: 'preview' }, undefined, body, []);
  const { minutes: cadenceMinutes } = await paceOfTenant(ports, tenant);
  const previews: ContractPreview[] = [];
  let pages = 0;
  const asked = targetsOf(list);
  const { portsOf, areAllOwn } = await recordedFor(ports, tenant, asked);
  for (const target of asked) {
    const { contract } = target;
    const sources = portsOf(contract);
    const record = await sources.getContract(contract);
    const watches = watchesOf(list, contract, span.from - 1);
    const known = await readPast(
      portsOf,
      tenant,
      target,
      watches,
      span,
      MOST_PAGES - pages,
      signal,
    );
    pages += known.backFill?.pages ?? 0;
    const { evaluations: _counted, ...replay } = replayAll(
      watches,
      known.past,
      span,
      Math.floor(MOST_LOOKS / asked.length),
    );
    const notTested = whyNotTested(known.past);
    previews.push({
      contract,
      ...replay,
      messages: messagesOf(replay.alerts.at(-1)),
      // Without data, zero alerts would be misleading.
      ...(notTested === null ? {} : { counts: null }),
      notTested,
      ignored: ignoredView(watches, known.past, span),
      history: known.series,
      backFill: backFillView(known.backFill),
      forecast: await forecastOn(sources, list, contract, record, cadenceMinutes),
    });
  }
  return {
    from: formatInstant(span.from),
    to: formatInstant(span.to),
    notes: [
      ...notesOn(list, span.from),
      ...(areAllOwn ? [] : [NOT_OWN]),
      ...list.rules.flatMap((rule) => warningsOn(rule, ports.hasSecondSource)),
    ],
    contracts: previews,
  };
}

/** A contract of a preview; for a list value, also the tokens held per contract. */
export type Target = Pick<ContractRecord, 'contract' | 'held'>;

/** The members of a list to which at least one of its rules applies. */
export function targetsOf(list: Watchlist): readonly Target[] {
  return watchedMembers(list)
    .filter(({ contract }) => rulesOn(list, contract).length > 0)
    .map(({ contract }) => ({ contract, ...defined({ held: tokensOf(list, contract) }) }));
}

/** The message of an alert for each kind of channel; null without an alert. */
function messagesOf(alert: RuleAlert | undefined): ContractPreview['messages'] {
  if (alert === undefined) return null;
  return Object.entries(MESSAGES).map(
    ([kind, messageOf]): PreviewedMessage => ({
      kind,
      message: messageOf({ kind: 'alert', alert }),
    }),
  );
}

/**
 * Returns the ports for a contract. They hide the records of contracts that are on no list of the
 * tenant.
 */
type PortsOf = (contract: ContractKey) => ReadContractsPorts;

/**
 * Returns the ports for each target and for the sources of derived prices, and whether lists of the
 * tenant contain all these contracts.
 */
export async function recordedFor(
  ports: ReadContractsPorts,
  tenant: CallerTenant,
  targets: readonly Target[],
): Promise<{ readonly portsOf: PortsOf; readonly areAllOwn: boolean }> {
  const contracts = targets.map(({ contract }) => contract);
  const read = targets.flatMap((target) =>
    isDerived(target.contract) ? sourcesOf(target) : [target.contract],
  );
  const own = await ownContracts(ports, tenant, [...new Set([...contracts, ...read])]);
  const others = { ...ports, ...NOTHING_RECORDED };
  return {
    portsOf: (contract) => (own.has(contract) ? ports : others),
    areAllOwn: read.every((contract) => own.has(contract)),
  };
}

const NOTHING_RECORDED: Pick<ReadContractsPorts, 'getContract' | 'recordedBetween'> = {
  getContract: async () => undefined,
  recordedBetween: async () => [],
};

const NOT_OWN =
  'For a contract that is on none of your lists, the preview uses only floors that it requests from the provider.';

/**
 * The reason why a rule cannot be tested: a price series has no prices. Null if the rule can be
 * tested.
 */
export function whyNotTested(past: ReportedPast): string | null {
  const missing = [...past].find(([, points]) => points.length === 0);
  if (missing === undefined) return null;
  return `not tested: no ${priceSeries(missing[0]).words.prices} recorded`;
}

/** The watches that a rule would have had. A paused rule is previewed as if enabled. */
export function watchesOf(list: Watchlist, contract: ContractKey, at: Instant): readonly Watch[] {
  const rules = list.rules.map((rule) => ({ ...rule, enabled: true }));
  return applyList({ ...list, rules }, contract, [], at)
    .map(({ watch }) => watch)
    .filter((watch) => !isSourceWatch(watch))
    .filter(({ ruleCondition }) => clockOf(ruleCondition.metric)?.since !== 'last_answer');
}

export function replayAll(
  watches: readonly Watch[],
  past: ReportedPast,
  span: Span,
  evaluations: number,
) {
  const bounds = { evaluations, alerts: LIMITS.preview.alerts };
  const replays = watches.map((watch) => replayWatch(watch, past, span, bounds));
  const alerts = replays.flatMap((replay) => replay.alerts);
  const counted = (kind: RuleAlert['kind']) =>
    replays.reduce((sum, { counts }) => sum + (counts[kind] ?? 0), 0);
  return {
    counts: {
      fired: counted('fired'),
      worsened: counted('worsened'),
      reminder: counted('reminder'),
      recovered: counted('recovered'),
      closed: counted('closed'),
      stale: counted('stale'),
      fresh: counted('fresh'),
    },
    pendingEnded: replays.reduce((sum, replay) => sum + replay.pendingEnded, 0),
    evaluations: replays.reduce((sum, replay) => sum + replay.evaluations, 0),
    until: formatInstant(Math.min(...replays.map(({ until }) => until))),
    alerts: alerts
      .toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
      .slice(0, LIMITS.preview.alerts),
  };
}

/** The first prices that the rule ignores, with the same limit as alerts. */
function ignoredView(
  watches: readonly Watch[],
  past: ReportedPast,
  span: Span,
): readonly IgnoredPrice[] {
  const watch = watches.find((one) => !isNoDataWatch(one));
  const ignored = watch === undefined ? [] : ignoredPrices(watch, past, span);
  return ignored.slice(0, LIMITS.preview.alerts).map(
    ({ series, point, why }): IgnoredPrice => ({
      series,
      why,
      time: formatInstant(point.time),
      price: formatDecimal(point.price),
      currency: point.currency,
    }),
  );
}

type KnownPast = {
  readonly past: ReportedPast;
  readonly series: readonly SeriesHistory[];
  readonly backFill: BackFill | undefined;
};

/**
 * Reads the recorded prices of a contract in the windows of its watches. If the recorded floors
 * begin later than the windows, earlier floors are requested from the upstream.
 */
export async function readPast(
  portsOf: PortsOf,
  tenant: CallerTenant,
  target: Target,
  watches: readonly Watch[],
  span: Span,
  mostPages: number,
  signal: AbortSignal,
): Promise<KnownPast> {
  const { contract } = target;
  if (isDerived(contract)) {
    return await readDerivedPast(portsOf, tenant, target, watches, span, mostPages, signal);
  }
  const ports = portsOf(contract);
  const lookBack = Math.max(0, ...watches.map(lookBackOf));
  const series = [...new Set(watches.flatMap(seriesOfWatch))];
  const past = new Map<PriceSeriesName, ReturnType<typeof reportedPast>>();
  const views: SeriesHistory[] = [];
  let filled: BackFill | undefined;
  for (const name of series) {
    const { hasPast, isComparedOverSpans } = priceSeries(name);
    const start = isComparedOverSpans ? span.from - lookBack : span.from;
    const recorded = await recordedFrom(ports, contract, name, start, span.to);
    const begin = recorded[0]?.time ?? span.to + 1;
    if (hasPast && begin > start) {
      filled = await backFill(ports, tenant, contract, start, mostPages, signal);
    }
    const reported = hasPast ? (filled?.points ?? []) : [];
    const added = reported.filter(({ time }) => time < begin && time <= span.to);
    const points = [...added, ...recorded];
    past.set(name, reportedPast(name, points, span.to));
    views.push(seriesPastView(name, points, added.length, span));
  }
  return { past, series: views, backFill: filled };
}

/** Computes the derived prices of a target from the floors of its contracts. */
async function readDerivedPast(
  portsOf: PortsOf,
  tenant: CallerTenant,
  target: Target,
  watches: readonly Watch[],
  span: Span,
  mostPages: number,
  signal: AbortSignal,
): Promise<KnownPast> {
  const sources = sourcesOf(target);
  const floors: (readonly PricePoint[])[] = [];
  const filled: BackFill[] = [];
  for (const contract of sources) {
    const pages = Math.floor(mostPages / sources.length);
    const known = await readPast(portsOf, tenant, { contract }, watches, span, pages, signal);
    const recorded = (known.past.get('floor') ?? []).filter((point) => point.kind === 'price');
    floors.push(withoutGlitches(recorded));
    if (known.backFill !== undefined) filled.push(known.backFill);
  }
  const points = pricesFrom(target, floors);
  const pages = filled.reduce((sum, one) => sum + one.pages, 0);
  const trouble = filled.find((one) => one.trouble !== undefined)?.trouble;
  return {
    past: new Map([['floor', points]]),
    series: [seriesPastView('floor', points, 0, span)],
    backFill: filled.length === 0 ? undefined : { points: [], pages, trouble },
  };
}

/** The recorded prices of a span, oldest first, with the price that was valid at its beginning. */
async function recordedFrom(
  ports: ReadContractsPorts,
  contract: ContractKey,
  series: PriceSeriesName,
  from: Instant,
  to: Instant,
): Promise<readonly PricePoint[]> {
  const [within, held] = await Promise.all([
    ports.recordedBetween(contract, series, from, to, MOST_POINTS),
    ports.recordedBetween(contract, series, 0, from - 1, 1),
  ]);
  const isWhole = within.length < MOST_POINTS;
  return [...within, ...(isWhole ? held : [])].toReversed();
}

/**
 * The coverage of a span, and its gaps. A replay detects a change during a gap only when the gap
 * ends.
 */
function seriesPastView(
  series: PriceSeriesName,
  points: readonly PricePoint[],
  backFilled: number,
  span: Span,
): SeriesHistory {
  const { hasPast } = priceSeries(series);
  const within = points.filter(({ time }) => time >= span.from);
  const steps = within.slice(1).map((point, index) => {
    const from = within[index]?.time ?? point.time;
    return { from, to: point.time, length: point.time - from };
  });
  const lengths = steps.map(({ length }) => length).toSorted((a, b) => a - b);
  const typical = lengths[lengths.length >> 1];
  const gaps = steps.filter(({ length }) => length > Math.max(HOUR, 4 * (typical ?? 0)));
  const longest = gaps.toSorted((a, b) => b.length - a.length)[0];
  return {
    series,
    from: momentOf(points[0]?.time),
    to: momentOf(points.at(-1)?.time),
    points: within.length,
    recorded: points.length - backFilled,
    backFilled,
    typicalMinutes: typical === undefined ? null : Math.round(typical / 60_000),
    // Sales occur at irregular times, so a long interval without a new price is not a gap.
    gaps: hasPast ? gaps.length : null,
    longestGap:
      hasPast && longest !== undefined
        ? { from: formatInstant(longest.from), to: formatInstant(longest.to) }
        : null,
  };
}

function backFillView(filled: BackFill | undefined): ContractPreview['backFill'] {
  return filled === undefined ? null : { pages: filled.pages, trouble: filled.trouble ?? null };
}

/** The forecast of the rule, as if it were created now. */
async function forecastOn(
  ports: ReadContractsPorts,
  list: Watchlist,
  contract: ContractKey,
  record: ContractRecord | undefined,
  cadenceMinutes: number,
) {
  const now = ports.now();
  const watch = applyList(list, contract, [], now)
    .map((change) => change.watch)
    .find((made) => !isNoDataWatch(made));
  if (watch === undefined) throw new RangeError('a rule without a watch');
  const snapshot = await readSnapshot(ports.recordedSince, record, [watch]);
  return forecastView(forecastOf(watch, snapshot, { now, cadenceMinutes }));
}

/** Notes about the limits of a replay of the rule's metrics. */
function notesOn(list: Watchlist, at: Instant): readonly string[] {
  const notes = watchedMembers(list).flatMap(({ contract }) =>
    applyList(list, contract, [], at).flatMap(({ watch }) => [
      clockOf(watch.ruleCondition.metric)?.inPreview,
      ...seriesOfWatch(watch).map((series) => priceSeries(series).none?.notRecorded),
    ]),
  );
  return [...new Set(notes.filter((note) => note !== undefined))];
}
