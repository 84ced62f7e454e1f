import { type Instant, MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import type { UpstreamLimits } from '#shared/domain/polling/upstream-limits.ts';
import type { Item } from '#shared/stores/table.ts';
import type { Written } from '#test/simulation/services/faulty-table.ts';
import type { Invocation } from '#test/simulation/services/sandbox.ts';

export type UpstreamInvariants = {
  readonly rateLimiterWritten: (written: Written) => void;
  readonly contractWritten: (written: Written) => void;
  /** Called when a call begins, but not when the call is repeated with another key. */
  readonly asked: (by: Invocation) => void;
  /** Called when a call is throttled, with the requested pause. */
  readonly throttled: (by: Invocation, seconds: number) => void;
  /** End of the last block that stopped all polls of the provider. */
  readonly stoodStillUntil: () => Instant;
  /** Whether the budget of the day is used up. */
  readonly isSpent: () => boolean;
  readonly atRest: (items: readonly Item[]) => void;
};

/** The window in which the upstream counts calls. */
const WINDOW = 4 * SECOND;
/** A call starts at most this long after its reserved time. */
const TOLERANCE = SECOND / 2;
/** Reserved calls may continue this long after the provider has asked for a pause. */
const STOPPED_AFTER = 4 * SECOND;

/** Maximum time in which an undisturbed worker records a requested pause. */
const GRACE_PERIOD = 2 * SECOND;

/** Maximum time until each contract is due again. */
const TURN = 8 * MINUTE;

type Warning = { readonly by: Invocation; readonly at: Instant; readonly until: Instant };
type Standstill = { readonly until: Instant; readonly knownAt: Instant };

/** Checks that the calls from polling stay within polling's share of the rate and of the budget. */
export function createUpstreamInvariants(
  limits: UpstreamLimits,
  now: () => Instant,
  broken: (invariant: string, what: string) => void,
): UpstreamInvariants {
  const calls: Instant[] = [];
  /** Units that polling has paid for. An interrupted poll pays for calls that it never makes. */
  let paid = { day: '', units: 0 };
  const warnings: Warning[] = [];
  /** End of the calls that an invocation has reserved. */
  const reservedUntil = new WeakMap<Invocation, Instant>();
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
      // Extending a block does not restart the grace period of its calls.
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

  /** When rules began to need each price series of a contract. */
  const neededSince = new Map<string, Instant>();
  let spentAt: Instant | undefined;
  const noteSpent = () => {
    spentAt = isSpent() ? (spentAt ?? now()) : undefined;
  };

  return {
    isSpent,
    stoodStillUntil: () => stoodStillUntil,

    /**
     * Once the budget is used up there are no answers, so each contract that was due must be marked
     * as without data.
     */
    atRest: (items) => {
      if (!isSpent() || spentAt === undefined || spentAt > now() - TURN) return;
      for (const { pk, sk, series } of items) {
        if (!pk.startsWith('CONTRACTS#')) continue;
        const wasDue = (name: string) => (neededSince.get(`${sk} ${name}`) ?? 0) < now() - TURN;
        const unheard = Object.entries(series as ContractItem['series']).find(
          ([name, { silent }]) => silent === undefined && wasDue(name),
        );
        if (unheard !== undefined) broken('missing data are recorded', `${sk} ${unheard[0]}`);
      }
    },

    contractWritten: ({ key: { sk }, after }) => {
      const needed = Object.keys((after as ContractItem | undefined)?.series ?? {});
      for (const path of neededSince.keys()) {
        const [contract, name = ''] = path.split(' ');
        if (contract === sk && !needed.includes(name)) neededSince.delete(path);
      }
      for (const name of needed) {
        const path = `${sk} ${name}`;
        neededSince.set(path, neededSince.get(path) ?? now());
      }
    },

    throttled: (by, seconds) => {
      warnings.push({ by, at: now(), until: now() + seconds * SECOND });
    },

    rateLimiterWritten: ({ after, by }) => {
      const rateLimiter = after as unknown as {
        readonly nextCallAt: { readonly polling: Instant };
        readonly blockedUntil?: Instant;
        readonly breakers: { readonly polling?: { readonly probeAt: Instant } };
        readonly spent: { readonly day: string; readonly inDay: { readonly polling: number } };
      };
      reservedUntil.set(by, rateLimiter.nextCallAt.polling);
      paid = { day: rateLimiter.spent.day, units: rateLimiter.spent.inDay.polling };
      noteSpent();
      note('blocked', rateLimiter.blockedUntil);
      note('denied', rateLimiter.breakers.polling?.probeAt);
    },

    asked: (by) => {
      const at = now();
      const until = reservedUntil.get(by) ?? 0;
      // A worker cannot notice a freeze between its last check of the clock and the call.
      const wasFrozen = by.frozenUntil > 0 || by.isDead;
      if (!wasFrozen && at > until + TOLERANCE) {
        broken(
          'a call is made at its reserved time or not at all',
          `${at - until} ms behind the last slot`,
        );
      }
      calls.push(at);
      noteSpent();
      const recent = calls.slice(-most - 1);
      const [first = at] = recent;
      if (recent.length > most && at - first < WINDOW) {
        broken(
          'the upstream is never called too fast',
          `${recent.length} calls in ${at - first} ms`,
        );
      }
      if (callsToday() > budget) {
        broken('the budget is never exceeded', `${callsToday()} calls`);
      }
      const ignored = warnings.findLast(
        (warning) =>
          warning.until > at && at - warning.at > STOPPED_AFTER + TOLERANCE + GRACE_PERIOD,
      );
      if (ignored !== undefined && ignored.by.disturbance === undefined) {
        broken(
          'no call is made during a requested pause',
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
  readonly series: Readonly<Record<string, { readonly silent?: Instant }>>;
};
