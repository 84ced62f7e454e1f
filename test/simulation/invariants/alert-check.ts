import type { Instant, Part } from '#test/simulation/oracle/points.ts';
import {
  hasRecovered,
  isBeyond,
  isClockFamily,
  isPercentage,
  type OracleClause,
  type OracleRule,
} from '#test/simulation/oracle/rule.ts';
import type { ExpectedAlert } from '#test/simulation/oracle/watch.ts';
import { amount, span } from './documents.ts';

/** An alert as it is posted. */
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

/** The name of the episode of an alert: its id begins with the watch and the generation. */
export function nameOfEpisode({ id, episode }: Pick<AlertItem, 'id' | 'episode'>) {
  const [watch, generation] = id.split('.');
  return episode === null ? undefined : `${watch}.${generation}.episode-${episode}`;
}

/** Where an alert was found. */
type Place = {
  readonly path: string;
  readonly number: number;
  readonly watch: {
    readonly generation: number;
    readonly presentation: { readonly severity: string };
  };
  readonly cadenceMinutes: number;
  /** Every price that was recorded of a part. */
  readonly prices: (part: Part) => readonly bigint[];
  /** Whether a floor of a time came too late for a step, or was replaced by another. */
  readonly isRevised: (from: Instant, to: Instant) => boolean;
};

/** The kinds of alert after which nothing lasts any more; a crossing is over as it happens. */
const ENDS: ReadonlySet<string> = new Set(['recovered', 'closed', 'fresh']);

const HOUR = 3_600_000;
/** A day's budget may stretch the cadence so far. */
const LONGEST_CADENCE = 24 * HOUR;

/** Names the members of an alert that do not say what the oracle says. */
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
    // A window before a price ends just before it, wherever the last one ended.
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

/** Whether a message of a price says that a rule fired, lasts or is over by a value that denies it. */
function contradictsItself({ kind, value }: AlertItem, rule: OracleRule): boolean {
  const [clause] = rule.clauses;
  const said = amount(value);
  const isPrice = !isPercentage(clause) && !isClockFamily(clause.family);
  if (!isPrice || rule.clauses.length > 1 || said === undefined) return false;
  if (kind === 'fired') return clause.when !== 'crosses' && !isBeyond(clause, said);
  if (kind === 'reminder') return hasRecovered(rule, said);
  return kind === 'recovered' && !hasRecovered(rule, said);
}

/** The furthest value that was evaluated, or a price that was recorded; of a window, one as far at least. */
function isExtreme(
  extreme: bigint | undefined,
  said: ExpectedAlert,
  { window, parts, when, family }: OracleClause,
  { prices, isRevised }: Place,
): boolean {
  if (extreme === said.extreme) return true;
  if (extreme === undefined || said.extreme === undefined) return false;
  // A revision may have replaced the furthest value since: the alert names the furthest known value.
  const { time, lasted = 0 } = said;
  if (isRevised(time - lasted - window, time)) return true;
  // A step may compare a late floor with a newer sale; the product compares prices of the same time.
  if (family === 'sale_discount_pct') return true;
  const isAsFar = when === 'below' ? extreme <= said.extreme : extreme >= said.extreme;
  const isDerived = window > 0 || family === 'floor_price_usd';
  return isAsFar && (isDerived || parts.some((part) => prices(part).includes(extreme)));
}

function unitOf(clause: OracleClause): string {
  if (isClockFamily(clause.family)) return 'minutes';
  return isPercentage(clause) ? '%' : clause.unit;
}

/** Late is what is older than two cadences and an hour; a cadence may be stretched. */
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
