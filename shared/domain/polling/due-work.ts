import { wholeOf } from '#shared/domain/market/contract.ts';
import { earliest, type Instant, MINUTE, type Minute } from '#shared/domain/market/instant.ts';
import { isAnsweredBy, OPERATIONS, type UpstreamCall } from '#shared/domain/market/operations.ts';
import { carrierOf, type Part, seriesOf } from '#shared/domain/market/price-series.ts';
import type { Provider } from '#shared/domain/market/provider.ts';
import { type ContractRecord, partsOf } from './contract-record.ts';
import { callsPerWindow, RATE_WINDOW_SECONDS, type UpstreamLimits } from './upstream-limits.ts';

/** The parts of a contract that are polled this minute. */
export type DuePoll = {
  readonly parts: readonly Part[];
  /** Whether its cadence fell due, or it is polled out of turn. */
  readonly isTurn: boolean;
  /** Since when a part is silent, or a watch waits for an answer. */
  readonly wantedSince?: Instant;
};

/**
 * The poll of one contract in the minutes `(after, until]`. If its cadence fell due or a timer has
 * passed, all its parts are polled; otherwise the parts that are due for a retry.
 */
export function duePoll(
  record: ContractRecord,
  { after, until }: { readonly after: Minute; readonly until: Minute },
  cadenceMinutes: number,
  now: Instant = until * MINUTE,
): DuePoll | undefined {
  const needed = partsOf(record);
  if (needed.length > 0 && fallsDue(record, after, until, cadenceMinutes)) {
    return {
      ...{ parts: askedFor(needed), isTurn: true },
      ...oldestWant(record, now),
    };
  }
  const isAwaited = wantedAt(record, now) !== undefined;
  const asked = needed.filter(([, { failures, retryAt }]) => {
    return (
      (isAwaited && failures === undefined) ||
      (retryAt !== undefined && retryAt < (until + 1) * MINUTE)
    );
  });
  if (asked.length > 0) {
    return {
      ...{ parts: askedFor(asked), isTurn: false },
      ...oldestWant(record, now),
    };
  }
  return undefined;
}

/** The series whose answers bring all of these, each once. */
function askedFor(needed: readonly (readonly [Part, unknown])[]): readonly Part[] {
  return [...new Set(needed.map(([part]) => carrierOf(part)))];
}

/** Since when a timer or a new watch waits for an answer; undefined if none does. */
function wantedAt(record: ContractRecord, now: Instant): Instant | undefined {
  return earliest(undecidedTimers(record).filter((at) => at <= now));
}

/**
 * The timers that wait for an answer, also those that are still to come. A timer that the last answers
 * have left undecided waits for the cadence, and parts without an answer for their next try.
 */
function undecidedTimers(record: ContractRecord): readonly Instant[] {
  const answers = partsOf(record).flatMap(([, { failures, answeredAt = 0 }]) =>
    failures === undefined ? [answeredAt] : [],
  );
  const answeredAt = Math.min(...answers);
  const { answer, window, awaited } = record.timers;
  return [answer, window, awaited].flatMap((at) =>
    at !== undefined && at >= answeredAt ? at : [],
  );
}

/**
 * The seconds of a pass in which planned calls begin. The last of them may take eight seconds to
 * fail, and another provider may take as long to replace it.
 */
export const PLANNED_SECONDS = 40;

/** The calls that polling may plan in a minute. */
export function pollsPerMinute(limits: UpstreamLimits): number {
  return (callsPerWindow('polling', limits) * PLANNED_SECONDS) / RATE_WINDOW_SECONDS;
}

/** The calls that a part can be polled by at a provider, of which the first that is offered is taken. */
export function waysOf(part: Part, provider: Provider): readonly UpstreamCall[] {
  const { operation } = seriesOf(part);
  return isAnsweredBy(provider, operation) ? OPERATIONS[operation].calls : [];
}

/** Whether a provider reports a part at all. */
export function isReportedBy(provider: Provider, part: Part): boolean {
  const { carriedBy, operation } = seriesOf(part);
  return carriedBy?.includes(provider) ?? isAnsweredBy(provider, operation);
}

/** The call that one poll of a part takes, as a rule. */
export function callOf(part: Part): UpstreamCall {
  return OPERATIONS[seriesOf(part).operation].calls[0];
}

/** When one of some parts is asked next, as far as rate and budget allow it. */
export function nextPollAt(
  record: ContractRecord,
  parts: readonly Part[],
  now: Instant,
  cadenceMinutes: number,
): Instant | undefined {
  const minute = Math.floor(now / MINUTE);
  const timer = earliest(undecidedTimers(record));
  const minutes = parts.flatMap((part): readonly Minute[] => {
    const known = record.parts[part];
    if (known === undefined) return [];
    const inTurn = lastTurn(record, minute, cadenceMinutes) + cadenceMinutes;
    const again = known.retryAt === undefined ? inTurn : Math.floor(known.retryAt / MINUTE);
    const atTimer = known.failures === undefined && timer !== undefined ? [timer / MINUTE] : [];
    return [inTurn, ...[again, ...atTimer].map((at) => Math.max(Math.ceil(at), minute + 1))];
  });
  return minutes.length === 0 ? undefined : Math.min(...minutes) * MINUTE;
}

function fallsDue(
  record: ContractRecord,
  after: Minute,
  until: Minute,
  cadenceMinutes: number,
): boolean {
  return lastTurn(record, until, cadenceMinutes) > after;
}

/** The last minute of a contract's cadence. Contracts are spread over its minutes by their address. */
function lastTurn({ contract }: ContractRecord, until: Minute, cadenceMinutes: number): Minute {
  const phase = Number.parseInt(wholeOf(contract).slice(-6), 16) % cadenceMinutes;
  return Math.floor((until - phase) / cadenceMinutes) * cadenceMinutes + phase;
}

function oldestWant(record: ContractRecord, now: Instant): { readonly wantedSince?: Instant } {
  const silent = partsOf(record).map(([, { silentSince }]) => silentSince);
  const since = earliest([wantedAt(record, now), ...silent]);
  return since === undefined ? {} : { wantedSince: since };
}
