import { MESSAGES } from '#shared/channels/messages.ts';
import type { RuleAlert } from '#shared/domain/alerting/alert.ts';
import { forecastOf } from '#shared/domain/evaluation/forecast.ts';
import { ignoredPrices } from '#shared/domain/evaluation/ignored-prices.ts';
import { pastOf, type ReportedPast, replayWatch } from '#shared/domain/evaluation/replay-watch.ts';
import {
  isNoDataWatch,
  lookBackOf,
  partsOfWatch,
  type Watch,
} from '#shared/domain/evaluation/watch.ts';
import { LIMITS } from '#shared/domain/limits.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { formatDecimal } from '#shared/domain/market/decimal.ts';
import { formatInstant, HOUR, type Instant, momentOf } from '#shared/domain/market/instant.ts';
import type { PricePoint } from '#shared/domain/market/point.ts';
import { type Part, seriesOf } from '#shared/domain/market/price-series.ts';
import { clockOf } from '#shared/domain/metrics/metric.ts';
import type { ContractRecord } from '#shared/domain/polling/contract-record.ts';
import type { AlertRule } from '#shared/domain/rules/alert-rule.ts';
import { warningsOn } from '#shared/domain/rules/rule-warnings.ts';
import { applyList } from '#shared/domain/watchlists/apply-list.ts';
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
  PartHistory,
  Preview,
  PreviewedMessage,
} from './answers/preview.ts';
import { type BackFill, backFill } from './back-fill.ts';
import type { ReadContractsPorts } from './ports.ts';

/** The span of time in which a rule is replayed. */
export type Span = { readonly from: Instant; readonly to: Instant };

/**
 * Recorded prices of one part of a contract: a year of daily ones, and more than one an hour for
 * its last month.
 */
const MOST_POINTS = 2000;
/**
 * Evaluations of all contracts of one preview together: seconds of work, if each looks back on the
 * whole past.
 */
export const MOST_LOOKS = 10_000;
/** Pages of back-fill of all contracts of one preview together: a month of hourly floors. */
export const MOST_PAGES = 10;

/** The alerts that a rule would have made for contracts in a past span, and its forecast. */
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
  // A rule on one contract has no watches on the others.
  const asked = list.members
    .map(({ contract }) => contract)
    .filter((contract) => rulesOn(list, contract).length > 0);
  const own = await ownContracts(ports, tenant, asked);
  for (const contract of asked) {
    const sources = own.has(contract) ? ports : { ...ports, ...NOTHING_RECORDED };
    const record = await sources.getContract(contract);
    const watches = watchesOf(list, contract, span.from - 1);
    const known = await readPast(
      sources,
      tenant,
      contract,
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
      history: known.parts,
      backFill: backFillView(known.backFill),
      forecast: await forecastOn(sources, list, contract, record, cadenceMinutes),
    });
  }
  return {
    from: formatInstant(span.from),
    to: formatInstant(span.to),
    notes: [
      ...notesOn(list, span.from),
      ...(own.size === asked.length ? [] : [NOT_OWN]),
      ...list.rules.flatMap((rule) => warningsOn(rule, ports.hasSecondSource)),
    ],
    contracts: previews,
  };
}

/** How each kind of channel shows an alert; null without one. */
function messagesOf(alert: RuleAlert | undefined): ContractPreview['messages'] {
  if (alert === undefined) return null;
  return Object.entries(MESSAGES).map(
    ([kind, messageOf]): PreviewedMessage => ({
      kind,
      message: messageOf({ kind: 'alert', alert }),
    }),
  );
}

export const NOTHING_RECORDED: Pick<ReadContractsPorts, 'getContract' | 'recordedBetween'> = {
  getContract: async () => undefined,
  recordedBetween: async () => [],
};

const NOT_OWN =
  'For a contract on none of your lists, the preview uses only floors that it requests from the provider.';

/** Why a rule cannot be tested: a part that it reads has no prices. */
export function whyNotTested(past: ReportedPast): string | null {
  const missing = [...past].find(([, points]) => points.length === 0);
  if (missing === undefined) return null;
  return `not tested: no ${seriesOf(missing[0]).words.prices} recorded`;
}

/** The watches that a rule would have had. A paused rule is previewed as if enabled. */
export function watchesOf(list: Watchlist, contract: ContractKey, at: Instant): readonly Watch[] {
  const rules = list.rules.map((rule) => ({ ...rule, enabled: true }));
  return applyList({ ...list, rules }, contract, [], at)
    .map(({ watch }) => watch)
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

/** The first prices that the rule ignores, as many as alerts. */
function ignoredView(
  watches: readonly Watch[],
  past: ReportedPast,
  span: Span,
): readonly IgnoredPrice[] {
  const watch = watches.find((one) => !isNoDataWatch(one));
  const ignored = watch === undefined ? [] : ignoredPrices(watch, past, span);
  return ignored.slice(0, LIMITS.preview.alerts).map(
    ({ part, point, why }): IgnoredPrice => ({
      part,
      why,
      time: formatInstant(point.time),
      price: formatDecimal(point.price),
      currency: point.currency,
    }),
  );
}

type KnownPast = {
  readonly past: ReportedPast;
  readonly parts: readonly PartHistory[];
  readonly backFill: BackFill | undefined;
};

/**
 * The recorded prices of a contract as far back as its watches look, and floors from the upstream
 * where the record begins later.
 */
export async function readPast(
  ports: ReadContractsPorts,
  tenant: CallerTenant,
  contract: ContractKey,
  watches: readonly Watch[],
  span: Span,
  mostPages: number,
  signal: AbortSignal,
): Promise<KnownPast> {
  const lookBack = Math.max(0, ...watches.map(lookBackOf));
  const parts = [...new Set(watches.flatMap(partsOfWatch))];
  const past = new Map<Part, ReturnType<typeof pastOf>>();
  const views: PartHistory[] = [];
  let filled: BackFill | undefined;
  for (const part of parts) {
    const { hasPast, isComparedOverSpans } = seriesOf(part);
    const start = isComparedOverSpans ? span.from - lookBack : span.from;
    const recorded = await recordedFrom(ports, contract, part, start, span.to);
    const begin = recorded[0]?.time ?? span.to + 1;
    if (hasPast && begin > start) {
      filled = await backFill(ports, tenant, contract, start, mostPages, signal);
    }
    const reported = hasPast ? (filled?.points ?? []) : [];
    const added = reported.filter(({ time }) => time < begin && time <= span.to);
    const points = [...added, ...recorded];
    past.set(part, pastOf(part, points, span.to));
    views.push(partPastView(part, points, added.length, span));
  }
  return { past, parts: views, backFill: filled };
}

/** The recorded prices of a span, oldest first, with the price that held at its beginning. */
async function recordedFrom(
  ports: ReadContractsPorts,
  contract: ContractKey,
  part: Part,
  from: Instant,
  to: Instant,
): Promise<readonly PricePoint[]> {
  const [within, held] = await Promise.all([
    ports.recordedBetween(contract, part, from, to, MOST_POINTS),
    ports.recordedBetween(contract, part, 0, from - 1, 1),
  ]);
  const isWhole = within.length < MOST_POINTS;
  return [...within, ...(isWhole ? held : [])].toReversed();
}

/** How much of a span is known, and its gaps: an event within a gap shows at the end of the gap. */
function partPastView(
  part: Part,
  points: readonly PricePoint[],
  backFilled: number,
  span: Span,
): PartHistory {
  const { hasPast } = seriesOf(part);
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
    part,
    from: momentOf(points[0]?.time),
    to: momentOf(points.at(-1)?.time),
    points: within.length,
    recorded: points.length - backFilled,
    backFilled,
    typicalMinutes: typical === undefined ? null : Math.round(typical / 60_000),
    // Lowest sales change at irregular times: a long step is no gap.
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

/** The forecast of the rule, as if it was created at this moment. */
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

/** The limits of a replay with these metrics. */
function notesOn(list: Watchlist, at: Instant): readonly string[] {
  const notes = list.members.flatMap(({ contract }) =>
    applyList(list, contract, [], at).flatMap(({ watch }) => [
      clockOf(watch.ruleCondition.metric)?.inPreview,
      ...partsOfWatch(watch).map((part) => seriesOf(part).none?.notRecorded),
    ]),
  );
  return [...new Set(notes.filter((note) => note !== undefined))];
}
