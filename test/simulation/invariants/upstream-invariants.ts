import { type Instant, MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import type { UpstreamLimits } from '#shared/domain/polling/upstream-limits.ts';
import type { Item } from '#shared/stores/table.ts';
import type { Written } from '#test/simulation/services/faulty-table.ts';
import type { Invocation } from '#test/simulation/services/sandbox.ts';

export type UpstreamInvariants = {
  readonly governorWritten: (written: Written) => void;
  /** A call begins; one that is made once more with another key is the same. */
  readonly asked: (by: Invocation) => void;
  /** Somebody was asked to stay away for so long. */
  readonly throttled: (by: Invocation, seconds: number) => void;
  /** Until when the provider has last kept all polls away. */
  readonly stoodStillUntil: () => Instant;
  /** Whether nothing more may be asked today. */
  readonly isSpent: () => boolean;
  readonly atRest: (items: readonly Item[]) => void;
};

/** The upstream counts calls in windows of so long. */
const WINDOW = 4 * SECOND;
/** A call starts in its slot or half a second later. */
const TOLERANCE = SECOND / 2;
/** The calls of a plan go on for so long after the provider has said "stop". */
const STOPPED_AFTER = 4 * SECOND;

/** By then its reader has noted it, if nothing went wrong. */
const PATIENCE = 2 * SECOND;

/** By then each contract has had its turn once more. */
const TURN = 8 * MINUTE;

type Warning = { readonly by: Invocation; readonly at: Instant; readonly until: Instant };
type Standstill = { readonly until: Instant; readonly knownAt: Instant };

/** Counts the calls that the upstream gets from polling, which has only its part of all. */
export function createUpstreamInvariants(
  limits: UpstreamLimits,
  now: () => Instant,
  broken: (invariant: string, what: string) => void,
): UpstreamInvariants {
  const calls: Instant[] = [];
  /** A poll that is cut short pays for calls that are never made. */
  let paid = { day: '', units: 0 };
  const warnings: Warning[] = [];
  /** The first free slot behind those that an invocation has. */
  const leasedUntil = new WeakMap<Invocation, Instant>();
  const standstills = new Map<string, Standstill>();
  let stoodStillUntil = 0;
  const { polling, interface: others } = limits.shares;
  const rate = (limits.callsPerSecond * polling) / (polling + others);
  const most = Math.ceil((rate * (WINDOW + TOLERANCE)) / SECOND) + 1;
  const budget = limits.budgetPerDay * (1 - others / 100);

  const note = (name: string, until: Instant | undefined) => {
    const known = standstills.get(name);
    stoodStillUntil = Math.max(stoodStillUntil, until ?? 0);
    if (until === undefined) standstills.delete(name);
    else if (known?.until !== until) {
      // A longer one is not a younger one.
      const knownAt = known !== undefined && known.until > now() ? known.knownAt : now();
      standstills.set(name, { until, knownAt });
    }
  };

  const dayOf = (instant: Instant) => new Date(instant).toISOString().slice(0, 10);
  const callsToday = () => {
    const midnight = Date.parse(dayOf(now()));
    return calls.length - (calls.findLastIndex((at) => at < midnight) + 1);
  };
  const isSpent = () =>
    Math.max(callsToday(), paid.day === dayOf(now()) ? paid.units : 0) >= budget;

  let spentAt: Instant | undefined;
  const noteSpent = () => {
    spentAt = isSpent() ? (spentAt ?? now()) : undefined;
  };

  return {
    isSpent,
    stoodStillUntil: () => stoodStillUntil,

    /** With a spent budget nothing is answered any more: each contract whose turn has come is silent. */
    atRest: (items) => {
      if (!isSpent() || spentAt === undefined || spentAt > now() - TURN) return;
      for (const { pk, sk, parts } of items) {
        if (!pk.startsWith('CONTRACTS#')) continue;
        const unheard = Object.entries(parts as ContractItem['parts']).find(
          ([, { silent }]) => silent === undefined,
        );
        if (unheard !== undefined) broken('a silence is noted', `${sk} ${unheard[0]}`);
      }
    },

    throttled: (by, seconds) => {
      warnings.push({ by, at: now(), until: now() + seconds * SECOND });
    },

    governorWritten: ({ after, by }) => {
      const governor = after as unknown as {
        readonly nextSlotAt: { readonly polling: Instant };
        readonly blockedUntil?: Instant;
        readonly breakers: { readonly polling?: { readonly probeAt: Instant } };
        readonly spent: { readonly day: string; readonly inDay: { readonly polling: number } };
      };
      leasedUntil.set(by, governor.nextSlotAt.polling);
      paid = { day: governor.spent.day, units: governor.spent.inDay.polling };
      noteSpent();
      note('blocked', governor.blockedUntil);
      note('denied', governor.breakers.polling?.probeAt);
    },

    asked: (by) => {
      const at = now();
      const until = leasedUntil.get(by) ?? 0;
      // A worker cannot notice a freeze between its last check of the clock and the call.
      const wasFrozen = by.frozenUntil > 0 || by.isDead;
      if (!wasFrozen && at > until + TOLERANCE) {
        broken('a call is made in its slot or not at all', `${at - until} ms behind the last slot`);
      }
      calls.push(at);
      noteSpent();
      const recent = calls.slice(-most - 1);
      const [first = at] = recent;
      if (recent.length > most && at - first < WINDOW) {
        broken(
          'the upstream is never asked too fast',
          `${recent.length} calls in ${at - first} ms`,
        );
      }
      if (callsToday() > budget) {
        broken('the budget is never exceeded', `${callsToday()} calls`);
      }
      const ignored = warnings.findLast(
        (warning) => warning.until > at && at - warning.at > STOPPED_AFTER + TOLERANCE + PATIENCE,
      );
      if (ignored !== undefined && ignored.by.disturbance === undefined) {
        broken(
          'no call during a pause that was asked for',
          `asked at ${at}, reported at ${ignored.at}`,
        );
      }
      for (const [why, { until, knownAt }] of standstills) {
        if (until <= at || at - knownAt <= STOPPED_AFTER + TOLERANCE) continue;
        broken('no call while a provider is blocked', `${why} until ${until}, asked at ${at}`);
      }
    },
  };
}

type ContractItem = {
  readonly parts: Readonly<Record<string, { readonly silent?: Instant }>>;
};
