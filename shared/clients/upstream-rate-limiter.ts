import type { Instant } from '#shared/domain/market/instant.ts';
import type { Refusal } from '#shared/domain/market/upstream.ts';
import { mayHaveChanged, OutcomeUnknownError } from '#shared/domain/outcome-unknown.ts';
import { costOfRequests } from '#shared/domain/polling/provider-limits.ts';
import {
  charged,
  learn,
  type RateLimiterRecord,
  reserve,
  utcDay,
} from '#shared/domain/polling/rate-limiter.ts';
import type { CallReservation } from '#shared/domain/polling/reserved-call.ts';
import type { UpstreamLimits, UpstreamUser } from '#shared/domain/polling/upstream-limits.ts';
import type { RateLimitedCalls } from '#shared/use-cases/rate-limited-call.ts';

/** The rate limiter of the upstream, shared by all callers of the stack. */
export type UpstreamRateLimiter = {
  readonly reserve: RateLimitedCalls['reserveCalls'];
  readonly learn: RateLimitedCalls['learnOfCall'];
};

type Records = {
  readonly get: () => Promise<RateLimiterRecord>;
  readonly put: (record: RateLimiterRecord) => Promise<RateLimiterRecord>;
};

/** Maximum version conflicts with concurrent callers before a caller is refused. */
const MAX_ATTEMPTS = 50;

/**
 * The difference between reserved and actual costs is normally written with the next reservation;
 * from this number of units on, it is written immediately.
 */
const MOST_UNWRITTEN = 10;

/** Outcomes that change the state of the circuit breaker or the rate; others only end a probe. */
const HEALTH_SIGNALS: ReadonlySet<Refusal['kind'] | 'ok'> = new Set([
  'throttled',
  'denied',
  'unsupported',
]);

/**
 * The rate limiter, whose state is one item of the table. It caches the last record that it wrote,
 * so a lone caller needs one conditional write per reservation and no read.
 */
export function createUpstreamRateLimiter(
  records: Records,
  user: UpstreamUser,
  limits: UpstreamLimits,
  now: () => Instant,
): UpstreamRateLimiter {
  let known: RateLimiterRecord | undefined;
  let lastWritten: number | undefined;
  /**
   * The unwritten difference between the actual cost of calls and their reservations, in units,
   * with its day. Negative if the calls cost less than reserved.
   */
  let owed = { units: 0, day: '' };
  /**
   * A saving counts only on the day of its reservation, because only the budget of that day was
   * charged.
   */
  const owedNow = () => (owed.day === utcDay(now()) ? owed.units : Math.max(owed.units, 0));
  const owe = (units: number) => {
    owed = { units: owedNow() + units, day: utcDay(now()) };
  };

  /** Writes a change of the record; reads the record again if the cached one was stale. */
  const updateNow = async <Result>(
    change: (record: RateLimiterRecord) => {
      readonly next?: RateLimiterRecord;
      readonly result: Result;
    },
  ): Promise<Result | undefined> => {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const fresh = known === undefined;
      known ??= await records.get();
      const isAlone = lastWritten === undefined || known.version === lastWritten;
      const { next, result } = change(known);
      if (next === undefined) {
        if (fresh) return result;
        known = undefined;
        continue;
      }
      const due = owedNow();
      const paid = due === 0 ? next : charged(next, user, due, limits, now());
      owed = { units: 0, day: '' };
      try {
        const written = await records.put(paid);
        lastWritten = written.version;
        // With other writers, the cached record would be stale at its next use.
        known = isAlone ? written : undefined;
        return result;
      } catch (error) {
        // After an unknown outcome a saving is not written again, because it may have been written
        // already. A cost is written again: it may be charged twice, but it is never lost.
        owe(error instanceof OutcomeUnknownError ? Math.max(due, 0) : due);
        known = undefined;
        if (!mayHaveChanged(error)) throw error;
      }
    }
    return undefined;
  };

  /** Serializes the calls of this process, which would otherwise conflict. */
  let last: Promise<unknown> = Promise.resolve();
  const update: typeof updateNow = (change) => {
    const next = last.then(async () => await updateNow(change));
    last = next.catch(() => {});
    return next;
  };

  return {
    reserve: async (alternatives) => {
      const taken = await update<CallReservation>((record) => {
        const reserved = reserve(record, user, alternatives, limits, now());
        if (!reserved.granted) return { result: reserved };
        return { next: reserved.record, result: { granted: true, calls: reserved.calls } };
      });
      return taken ?? { granted: false, reason: 'busy', until: now() };
    },

    learn: async (call, outcome, probe, requests) => {
      owe(costOfRequests(call, requests, limits) - limits.costs[call]);
      if (probe || HEALTH_SIGNALS.has(outcome.kind)) {
        await update((record) => {
          const next = learn(record, user, call, outcome, probe, limits, now());
          return next === record ? { result: undefined } : { next, result: undefined };
        });
      }
      if (Math.abs(owedNow()) < MOST_UNWRITTEN) return;
      try {
        await update((record) => ({ next: record, result: undefined }));
      } catch {
        // The provider's answer is valid even if its cost cannot be written now. The next
        // reservation writes the cost.
      }
    },
  };
}
