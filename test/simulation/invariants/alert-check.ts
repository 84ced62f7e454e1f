import type { Instant, PriceSeriesName } from '#test/simulation/oracle/points.ts';
import {
  hasRecovered,
  isBeyond,
  isClockFamily,
  isGain,
  isPercentage,
  type OracleClause,
  type OracleRule,
} from '#test/simulation/oracle/rule.ts';
import type { ExpectedAlert } from '#test/simulation/oracle/watch.ts';
import { amount, span } from './documents.ts';

/** A posted alert. */
export type AlertItem = {
  readonly id: string;
  readonly kind: string;
  readonly tenant: string;
  readonly watchlist: string;
  readonly rule: string | null;
  readonly contract: string | null;
  readonly metric: string | null;
  readonly when: string | null;
  readonly threshold: string | null;
  readonly value: string | null;
  readonly previous: string | null;
  readonly unit: string | null;
  readonly usd: string | null;
  readonly dataTime: string;
  readonly late: boolean;
  readonly generation: number | null;
  readonly episode: number | null;
  readonly open: boolean | null;
  readonly duration: string | null;
  readonly extreme: string | null;
  readonly severity: string;
  readonly at: string;
};

/** The name of an alert's episode. The id of the alert begins with the watch and the generation. */
export function nameOfEpisode({ id, episode }: Pick<AlertItem, 'id' | 'episode'>) {
  const [watch, generation] = id.split('.');
  return episode === null ? undefined : `${watch}.${generation}.episode-${episode}`;
}

/** The watch of the checked alert, its cadence, and the recorded prices of its contract. */
type Place = {
  readonly path: string;
  readonly number: number;
  readonly watch: {
    readonly generation: number;
    readonly presentation: { readonly severity: string };
  };
  readonly cadenceMinutes: number;
  /** Every recorded price of a series. */
  readonly prices: (series: PriceSeriesName) => readonly bigint[];
  /** Whether a floor of this period came too late for a step, or was replaced by a revision. */
  readonly isRevised: (from: Instant, to: Instant) => boolean;
};

/** Kinds of alerts that close an episode. A crossing opens no episode. */
const ENDS: ReadonlySet<string> = new Set(['recovered', 'closed', 'fresh']);

const HOUR = 3_600_000;
/** The longest cadence to which a low daily budget stretches the polls. */
const LONGEST_CADENCE = 24 * HOUR;

/** Returns the members of an alert that differ from the oracle. */
export function checkAlert(
  alert: AlertItem,
  said: ExpectedAlert,
  rule: OracleRule,
  place: Place,
): readonly string[] {
  const { path, number, watch, cadenceMinutes } = place;
  const [clause] = rule.clauses;
  const [, name = ''] = path.split(' ');
  const [tenant, watchlist, id = ''] = name.split('#');
  const isNoDataWatch = id.includes('~');
  const isReported = (text: string | null, value: bigint | undefined) => amount(text) === value;
  const holds: Readonly<Record<string, boolean>> = {
    id: alert.id.endsWith(`.${watch.generation}.${number}`),
    kind: alert.kind === (isNoDataWatch ? noDataKind(said.kind) : said.kind),
    tenant: alert.tenant === tenant,
    watchlist: alert.watchlist === watchlist,
    rule: alert.rule === id.split('~')[0],
    contract: path.startsWith(`WATCHES#${alert.contract} `),
    metric: alert.metric === clause.metric,
    when: alert.when === clause.when,
    threshold: isReported(alert.threshold, said.line),
    value: isReported(alert.value, said.value),
    // The previous value of a window is not compared, because the product takes it just before the
    // price, and the oracle at the previous floor.
    previous: clause.window > 0 || isReported(alert.previous, said.previous),
    unit: alert.unit === unitOf(clause),
    usd: isReported(alert.usd, said.usd),
    dataTime: Date.parse(alert.dataTime) === said.time,
    late: isRightlyLate(alert, said, cadenceMinutes),
    generation: alert.generation === watch.generation,
    episode: alert.episode === (clause.when === 'crosses' ? null : said.episode),
    open:
      alert.open ===
      (said.kind === 'fired' && clause.when === 'crosses' ? null : !ENDS.has(said.kind)),
    duration: span(alert.duration ?? undefined) === wholeSeconds(said.lasted),
    extreme: isExtreme(amount(alert.extreme), said, clause, place),
    severity: alert.severity === watch.presentation.severity,
    'no contradiction': !contradictsItself(alert, rule),
  };
  return Object.entries(holds).flatMap(([member, isRight]) =>
    isRight ? [] : [`${member} (${JSON.stringify(said, written)})`],
  );
}

/** Whether the value of an alert on a price contradicts its kind. */
function contradictsItself({ kind, value }: AlertItem, rule: OracleRule): boolean {
  const [clause] = rule.clauses;
  const said = amount(value);
  const isPrice = !isPercentage(clause) && !isClockFamily(clause.family);
  if (!isPrice || rule.clauses.length > 1 || said === undefined) return false;
  if (kind === 'fired') return clause.when !== 'crosses' && !isBeyond(clause, said);
  if (kind === 'reminder') return hasRecovered(rule, said);
  return kind === 'recovered' && !hasRecovered(rule, said);
}

/**
 * Whether `extreme` is the furthest evaluated value, or a recorded price at least as far. Derived
 * values need not be recorded.
 */
function isExtreme(
  extreme: bigint | undefined,
  said: ExpectedAlert,
  { window, series, when, family }: OracleClause,
  { prices, isRevised }: Place,
): boolean {
  if (extreme === said.extreme) return true;
  if (extreme === undefined || said.extreme === undefined) return false;
  // A revision may have replaced the furthest value in the meantime, so the alert names the
  // furthest known value.
  const { time, lasted = 0 } = said;
  if (isRevised(time - lasted - window, time)) return true;
  // A step may compare a late floor with a newer sale; the product compares prices of the same
  // time.
  if (family === 'sale_discount_pct') return true;
  const isAsFar = when === 'below' ? extreme <= said.extreme : extreme >= said.extreme;
  const isDerived =
    window > 0 || series.length > 1 || family === 'floor_price_usd' || isGain(family);
  return isAsFar && (isDerived || series.some((name) => prices(name).includes(extreme)));
}

function unitOf(clause: OracleClause): string {
  if (isClockFamily(clause.family)) return 'minutes';
  return isPercentage(clause) ? '%' : clause.unit;
}

/**
 * Alerts are late if their news is older than two cadences and an hour. The cadence may have been
 * stretched, so an alert between the bounds of the configured and of the longest cadence may be
 * late or not.
 */
function isRightlyLate(
  { at, late }: AlertItem,
  { newsAt }: ExpectedAlert,
  cadenceMinutes: number,
): boolean {
  if (newsAt === undefined) return !late;
  const delay = Date.parse(at) - newsAt - HOUR;
  const isSure = late ? delay > 2 * cadenceMinutes * 60_000 : delay <= 2 * LONGEST_CADENCE;
  return isSure;
}

function noDataKind(kind: string): string {
  if (kind === 'closed') return kind;
  return kind === 'recovered' ? 'fresh' : 'stale';
}

function wholeSeconds(milliseconds: number | undefined): number | undefined {
  return milliseconds === undefined ? undefined : Math.floor(milliseconds / 1000) * 1000;
}

function written(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
