import { type Acknowledgement, isOfEpisode } from '#shared/domain/alerting/acknowledgement.ts';
import type { AlertRecord } from '#shared/domain/alerting/alert-record.ts';
import { type Decimal, formatDecimal } from '#shared/domain/market/decimal.ts';
import { formatInstant, type Instant } from '#shared/domain/market/instant.ts';
import { lookBackDays } from '#shared/domain/market/point.ts';
import type { ContractRecord, PartRecord } from '#shared/domain/polling/contract-record.ts';
import { type Condition, isLimit, type Meaning } from '#shared/domain/watching/alert-rule.ts';
import { channelView } from '#shared/domain/watching/channel.ts';
import { partOf, readMetric } from '#shared/domain/watching/metric.ts';
import type { Mute } from '#shared/domain/watching/mute.ts';
import { type Watch, waitingOf } from '#shared/domain/watching/watch.ts';
import type { Watchlist } from '#shared/domain/watching/watchlist.ts';

/** A watchlist as its owner reads it. */
export function watchlistView(list: Watchlist) {
  const { id, name, revision, members, rules, channels } = list;
  return {
    id,
    name,
    revision,
    contracts: members.map(({ joined: _joined, ...member }) => member),
    rules: rules.map(({ since: _since, ...rule }) => rule),
    channels: channels.map(channelView),
  };
}

/** A mute as its owner reads it. */
export function muteView({ id, from, until, rule, severity, reason }: Mute) {
  return {
    id,
    from: formatInstant(from),
    until: formatInstant(until),
    rule: rule ?? null,
    severity: severity ?? null,
    reason: reason ?? null,
  };
}

/** What keeps a watch from being heard: the end of its mute, and the word of who has seen its episode. */
export type Silence = {
  readonly mutedUntil: Instant | undefined;
  readonly acknowledgement: Acknowledgement | undefined;
};

/** A watch as its owner reads it: where it stands, and whether what it goes by is sound. */
export function watchView(
  watch: Watch,
  record: ContractRecord | undefined,
  { mutedUntil, acknowledgement }: Silence,
) {
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
    admin: watch.admin === 'enabled' && mutedUntil !== undefined ? 'muted' : watch.admin,
    mutedUntil: momentOf(mutedUntil),
    state: watch.state,
    stateSince: momentOf(watch.stateSince),
    episode: watch.episode,
    /** Of the open episode. */
    acknowledged: acknowledgementView(acknowledgement),
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

function acknowledgementView(acknowledgement: Acknowledgement | undefined) {
  if (acknowledgement === undefined) return null;
  const { at, note = null } = acknowledgement;
  return { at: formatInstant(at), note };
}

/** An alert with where it is found, who has seen it, and what became of it. */
export function alertView(
  { alert, unsent, deliveries }: AlertRecord,
  acknowledgements: readonly Acknowledgement[],
) {
  const { watchlist, at, id } = alert;
  return {
    ...alert,
    self: `/v1/watchlists/${watchlist}/alerts/${at}~${id}`,
    acknowledged: acknowledgementView(
      acknowledgements.find((episode) => isOfEpisode(alert, episode)),
    ),
    deliveries: Object.fromEntries([
      ...Object.keys(unsent).map(
        (sink) => [sink, { state: 'pending', at: null, reason: null }] as const,
      ),
      ...Object.entries(deliveries).map(
        ([sink, { state, at, reason = null }]) =>
          [sink, { state, at: formatInstant(at), reason }] as const,
      ),
    ]),
  };
}

/** Whether a watch goes by sound data, and if not, since when and why: as a code, and in words. */
function healthOf(watch: Watch, known: PartRecord | undefined, unit: string | undefined) {
  const since = known?.outcome === undefined ? watch.since : known.since;
  return { ...soundnessOf(watch.meaning, known, unit), since: momentOf(since) };
}

type Soundness = {
  readonly state: 'waiting' | 'fresh' | 'stale' | 'disputed';
  readonly code: string;
  readonly reason: string | null;
};

function soundnessOf(
  { metric, unit: watched }: Meaning,
  known: PartRecord | undefined,
  unit: string | undefined,
): Soundness {
  if (known?.outcome === undefined) {
    return { state: 'waiting', code: 'not_asked', reason: 'the provider was not asked yet' };
  }
  const { outcome, reason, newest } = known;
  if (unit !== undefined && unit !== watched) {
    const words = `the price is told in ${unit}, and watched in ${watched}`;
    return { state: 'disputed', code: 'other_unit', reason: words };
  }
  if (outcome === 'ok' && unit === undefined) {
    const words = `the price is told without its value in ${watched}`;
    return { state: 'disputed', code: 'no_value', reason: words };
  }
  if (outcome === 'disputed') {
    const words = `the provider contradicts itself${reason === undefined ? '' : `: ${reason}`}`;
    return { state: 'disputed', code: 'contradiction', reason: words };
  }
  if (outcome === 'ok') return { state: 'fresh', code: 'ok', reason: null };
  const days = lookBackDays(partOf(metric));
  if (outcome === 'empty' && days !== undefined) {
    const window = days === 1 ? 'day' : `${days} days`;
    return { state: 'fresh', code: 'no_sale', reason: `no sale in the last ${window}` };
  }
  const code = reason === undefined ? outcome : `${outcome}_${reason}`;
  return {
    state: newest === undefined ? 'waiting' : 'stale',
    code,
    reason: REASONS[code] ?? 'the provider gave no usable answer',
  };
}

/** Why there is no price, for people; by what came of the last call. */
const REASONS: Readonly<Record<string, string>> = {
  empty: 'the provider answers without a price',
  not_ready: 'the provider is still collecting this contract',
  not_found: 'the provider does not know this contract',
  unsupported_retired: 'the provider does not offer this any more',
  unsupported_chain: 'the provider does not offer this on the chain of the contract',
  denied_key: 'the provider does not accept the key of this stack',
  denied_quota: "the quota of this stack's key at the provider is used up",
  denied_paused: 'the provider has paused the account of this stack',
  denied_blocked: 'the provider blocks this stack',
  throttled: 'the provider asks us to slow down',
  failed_timeout: 'the provider did not answer in time',
  failed_network: 'the provider could not be reached',
  failed_server_error: 'the provider had an error of its own',
  failed_garbage: 'the provider gave no usable answer',
  failed_too_large: 'the answer of the provider was too large',
  failed_redirect: 'the provider sent us elsewhere, where we do not go',
  failed_bad_request: 'the provider did not accept the question',
};

function momentOf(instant: Instant | undefined): string | null {
  return instant === undefined ? null : formatInstant(instant);
}
