import { type Instant, SECOND } from '#shared/domain/market/instant.ts';
import type { UpstreamLimits } from '#shared/domain/polling/upstream-limits.ts';
import type { Written } from './faulty-table.ts';

export type UpstreamWitness = {
  readonly governorWritten: (written: Written) => void;
  readonly asked: (at: Instant) => void;
  /** Whether nothing more may be asked today. */
  readonly isSpent: () => boolean;
};

/** The upstream counts calls in windows of so long. */
const WINDOW = 4 * SECOND;
/** A call starts in its slot or half a second later. */
const TOLERANCE = SECOND / 2;
/** Slots are given away so far ahead: those that were given before a block may still be used. */
const HORIZON = 10 * SECOND;

type Standstill = { readonly until: Instant; readonly knownAt: Instant };

/** Counts the calls that the upstream gets, as the upstream would. */
export function createUpstreamWitness(
  limits: UpstreamLimits,
  now: () => Instant,
  broken: (invariant: string, what: string) => void,
): UpstreamWitness {
  const calls: Instant[] = [];
  const standstills = new Map<string, Standstill>();
  const most = Math.ceil((limits.callsPerSecond * (WINDOW + TOLERANCE)) / SECOND) + 1;

  const note = (name: string, until: Instant | undefined) => {
    const known = standstills.get(name);
    if (until === undefined) standstills.delete(name);
    else if (known?.until !== until) standstills.set(name, { until, knownAt: now() });
  };

  return {
    isSpent: () => calls.length >= limits.budgetPerDay,

    governorWritten: ({ after }) => {
      const governor = after as unknown as {
        readonly blockedUntil?: Instant;
        readonly breaker?: { readonly probeAt: Instant };
      };
      note('blocked', governor.blockedUntil);
      note('denied', governor.breaker?.probeAt);
    },

    asked: (at) => {
      calls.push(at);
      const recent = calls.slice(-most - 1);
      const [first = at] = recent;
      if (recent.length > most && at - first < WINDOW) {
        broken(
          'the upstream is never asked too fast',
          `${recent.length} calls in ${at - first} ms`,
        );
      }
      if (calls.length > limits.budgetPerDay) {
        broken('the budget is never exceeded', `${calls.length} calls`);
      }
      for (const [why, { until, knownAt }] of standstills) {
        if (until <= at || at - knownAt <= HORIZON + TOLERANCE) continue;
        broken('nobody is asked while it is blocked', `${why} until ${until}, asked at ${at}`);
      }
    },
  };
}
