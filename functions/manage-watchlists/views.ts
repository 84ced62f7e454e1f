import type { Alert } from '#shared/domain/alerting/alert.ts';
import type { AlertRecord } from '#shared/domain/alerting/alert-record.ts';
import { type Decimal, formatDecimal } from '#shared/domain/market/decimal.ts';
import { formatInstant, type Instant } from '#shared/domain/market/instant.ts';
import type { ContractRecord, PartRecord } from '#shared/domain/polling/contract-record.ts';
import { type Condition, isLimit } from '#shared/domain/watching/alert-rule.ts';
import { partOf, readMetric } from '#shared/domain/watching/metric.ts';
import { type Watch, waitingOf } from '#shared/domain/watching/watch.ts';
import type { Watchlist } from '#shared/domain/watching/watchlist.ts';

/** A watchlist as its owner reads it. */
export function watchlistView(list: Watchlist) {
  const { id, name, revision, members, rules, channels } = list;
  return {
    id,
    name,
    revision,
    contracts: members.map(({ contract, name: called }) =>
      called === undefined ? contract : { contract, name: called },
    ),
    rules: rules.map(({ since: _since, ...rule }) => rule),
    channels,
  };
}

/** A watch as its owner reads it: where it stands, and whether what it goes by is sound. */
export function watchView(watch: Watch, record: ContractRecord | undefined) {
  const { meaning, wording } = watch;
  const known = record?.parts[partOf(meaning.metric)];
  const point = known?.newest?.point;
  const reading = point === undefined ? undefined : readMetric(meaning.metric, point);
  const { falling, rising } = waitsForAnything(watch) ? {} : waitingOf(watch);
  return {
    rule: watch.rule,
    contract: watch.contract,
    name: wording.name ?? null,
    label: wording.label ?? null,
    metric: meaning.metric,
    ...conditionView(meaning.condition),
    unit: meaning.unit,
    severity: wording.severity,
    admin: watch.admin,
    state: watch.state,
    stateSince: momentOf(watch.stateSince),
    episode: watch.episode,
    generation: watch.generation,
    /** The numbers at which it would move next. */
    waitsFor: {
      falling: falling === undefined ? null : formatDecimal(falling),
      rising: rising === undefined ? null : formatDecimal(rising),
    },
    value: reading === undefined ? null : formatDecimal(reading.value),
    valueUnit: reading?.unit ?? null,
    dataTime: momentOf(point?.time),
    health: healthOf(watch, known, reading?.unit),
  };
}

/** Whether the next observation moves a watch, whatever it says. */
function waitsForAnything({ state, ring }: Watch): boolean {
  return state === 'unknown' || ring !== undefined;
}

/** The lines of a condition; those that it has not are null. */
function conditionView(condition: Condition) {
  const told = (value: Decimal | undefined) => (value === undefined ? null : formatDecimal(value));
  return {
    when: condition.when,
    threshold: told('low' in condition ? undefined : condition.threshold),
    recover: told(isLimit(condition) ? condition.recover : undefined),
    low: told('low' in condition ? condition.low : undefined),
    high: told('low' in condition ? condition.high : undefined),
  };
}

/** An alert with what became of it. */
export function alertView({ alert, unsent, deliveries }: AlertRecord): Alert & {
  readonly deliveries: Readonly<Record<string, unknown>>;
} {
  return {
    ...alert,
    deliveries: Object.fromEntries([
      ...unsent.map((sink) => [sink, { state: 'pending', at: null, reason: null }] as const),
      ...Object.entries(deliveries).map(
        ([sink, { state, at, reason = null }]) =>
          [sink, { state, at: formatInstant(at), reason }] as const,
      ),
    ]),
  };
}

/** Whether a watch goes by sound data, and if not, since when and why. */
function healthOf(watch: Watch, known: PartRecord | undefined, unit: string | undefined) {
  if (known?.outcome === undefined) {
    return { state: 'waiting', since: formatInstant(watch.since), reason: 'not asked yet' };
  }
  const since = momentOf(known.since);
  const { metric, unit: watched } = watch.meaning;
  if (unit !== undefined && unit !== watched) {
    return { state: 'disputed', since, reason: `told in ${unit}, watched in ${watched}` };
  }
  if (known.outcome === 'ok' && unit === undefined) {
    return { state: 'disputed', since, reason: `told without a price in ${watched}` };
  }
  if (known.outcome === 'empty' && partOf(metric) === 'floor') {
    return { state: 'stale', since, reason: 'no price in the answer' };
  }
  if (known.outcome === 'ok' || known.outcome === 'empty') {
    return { state: 'fresh', since, reason: null };
  }
  const reason = known.reason === undefined ? known.outcome : `${known.outcome}: ${known.reason}`;
  return { state: known.outcome === 'disputed' ? 'disputed' : 'stale', since, reason };
}

function momentOf(instant: Instant | undefined): string | null {
  return instant === undefined ? null : formatInstant(instant);
}
