import type { Instant } from '#shared/domain/market/instant.ts';
import type { Refusal } from '#shared/domain/market/upstream.ts';
import { mayHaveChanged, OutcomeUnknownError } from '#shared/domain/outcome-unknown.ts';
import {
  charged,
  dayOf,
  type GovernorRecord,
  learn,
  lease,
} from '#shared/domain/polling/governor.ts';
import type { CallLease } from '#shared/domain/polling/leased-call.ts';
import { costOfRequests } from '#shared/domain/polling/provider-limits.ts';
import type { UpstreamLimits, UpstreamUser } from '#shared/domain/polling/upstream-limits.ts';
import type { GovernedCalls } from '#shared/use-cases/governed-call.ts';

/** Gives leave to call the upstream to one of its users, for all callers of the stack together. */
export type UpstreamGovernor = {
  readonly lease: GovernedCalls['leaseCalls'];
  readonly learn: GovernedCalls['learnOfCall'];
};

type Records = {
  readonly get: () => Promise<GovernorRecord>;
  readonly put: (record: GovernorRecord) => Promise<GovernorRecord>;
};

/** So many callers may be quicker before one gives up and is asked to come again. */
const MAX_ATTEMPTS = 50;

/**
 * A difference between what calls cost and what they were leased for is written with the next lease; so
 * large a one by itself.
 */
const MOST_UNWRITTEN = 10;

/** Outcomes that say something about our use of the upstream; others only end a probe. */
const HEALTH_SIGNALS: ReadonlySet<Refusal['kind'] | 'ok'> = new Set([
  'throttled',
  'denied',
  'unsupported',
]);

/**
 * The governor over its one item. It remembers the record it wrote last, so that a lone caller
 * needs one conditional write a lease and no read.
 */
export function createUpstreamGovernor(
  records: Records,
  user: UpstreamUser,
  limits: UpstreamLimits,
  now: () => Instant,
): UpstreamGovernor {
  let known: GovernorRecord | undefined;
  let lastWritten: number | undefined;
  /** Units that calls of a day have cost beyond their leases and that no record has yet; of a saving, negative. */
  let owed = { units: 0, day: '' };
  /** A saving counts on its own day alone: the budget of another day never had it. */
  const owedNow = () => (owed.day === dayOf(now()) ? owed.units : Math.max(owed.units, 0));
  const owe = (units: number) => {
    owed = { units: owedNow() + units, day: dayOf(now()) };
  };

  /** Writes what `change` makes of the record, from a fresh reading where the known one was stale. */
  const updateNow = async <Result>(
    change: (record: GovernorRecord) => { readonly next?: GovernorRecord; readonly result: Result },
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
        // Where others write too, what is remembered is stale before it is used.
        known = isAlone ? written : undefined;
        return result;
      } catch (error) {
        // A saving that may have been written is not written twice; a cost is rather paid twice than never.
        owe(error instanceof OutcomeUnknownError ? Math.max(due, 0) : due);
        known = undefined;
        if (!mayHaveChanged(error)) throw error;
      }
    }
    return undefined;
  };

  /** The calls of a process wait for each other here: else they would conflict with each other. */
  let last: Promise<unknown> = Promise.resolve();
  const update: typeof updateNow = (change) => {
    const next = last.then(async () => await updateNow(change));
    last = next.catch(() => {});
    return next;
  };

  return {
    lease: async (alternatives) => {
      const taken = await update<CallLease>((record) => {
        const leased = lease(record, user, alternatives, limits, now());
        if (!leased.granted) return { result: leased };
        return { next: leased.record, result: { granted: true, calls: leased.calls } };
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
        // The answer counts whatever is charged: what is owed stays owed until the next write.
      }
    },
  };
}
