import type { Stream } from './streams.ts';

/** Everything that can go wrong, each with the highest rate that a seed may draw for it. */
const HIGHEST_RATES = {
  /** A function crashes before or after a call. */
  crashBefore: 0.01,
  crashAfter: 0.01,
  /** A function freezes for minutes, and is terminated at its timeout. */
  freeze: 0.004,
  /**
   * A function freezes for minutes, and continues although its work was given to another
   * invocation.
   */
  zombie: 0.004,
  tableThrottles: 0.02,
  /** The table applies a write, but the response is lost. */
  writeUnknown: 0.02,
  /** A write is lost. The writer cannot tell this fault from a lost response. */
  writeLost: 0.02,
  /** The index of timers returns a state that is seconds to minutes old. */
  dueStale: 0.5,
  sendFails: 0.02,
  /** Some of the messages of a batch are sent although the response says that the batch failed. */
  sendUnknown: 0.02,
  messageLost: 0.03,
  /** A handled message is not deleted from its queue. */
  messageKept: 0.03,
  messageLate: 0.1,
  tickMissed: 0.15,
  tickLate: 0.2,
  tickDoubled: 0.15,
  upstreamFails: 0.2,
  upstreamNotReady: 0.1,
  upstreamNotFound: 0.05,
  upstreamThrottles: 0.08,
  upstreamDenies: 0.02,
  upstreamRetires: 0.02,
  /** The key is replaced. The parameter follows at once, or minutes later with `keyRevoked`. */
  keyRenewed: 0.02,
  keyRevoked: 0.01,
  upstreamSlow: 0.1,
  /** An answer that is minutes old. */
  upstreamStale: 0.2,
  /** The last point is reported again with another value. */
  upstreamRevises: 0.1,
  /** Points in another currency, or without their value in dollars. */
  upstreamOtherMoney: 0.05,
  destinationFails: 0.2,
  /** A message arrives although its destination answers with a failure. */
  destinationUnknown: 0.05,
  destinationSlow: 0.1,
  destinationThrottles: 0.1,
  destinationRefuses: 0.05,
  destinationGone: 0.04,
  subscriberLeaves: 0.5,
  /** A message in a queue is unreadable. */
  messageGarbled: 0.02,
} as const;

type FaultName = keyof typeof HIGHEST_RATES;
export type FaultRates = Readonly<Record<FaultName, number>>;

/** Every tenth seed has no faults. In the others each fault is on or off, with its own rate. */
export function drawFaults(stream: Stream): FaultRates {
  const isCalm = stream.happens(0.1);
  const share = stream.pick([0.1, 0.3, 0.6]);
  return mapRates((highest) => {
    const [isOn, strength] = [stream.happens(share), stream.between(1, 100)];
    return isOn && !isCalm ? (highest * strength) / 100 : 0;
  });
}

/** The faults of one run. All faults end before the healing phase. */
export type Faults = {
  readonly strikes: (name: FaultName) => boolean;
  readonly end: () => void;
  readonly counts: ReadonlyMap<FaultName, number>;
};

export function createFaults(rates: FaultRates, stream: Stream): Faults {
  const counts = new Map<FaultName, number>();
  let areOver = false;
  return {
    counts,
    strikes: (name) => {
      if (areOver || !stream.happens(rates[name])) return false;
      counts.set(name, (counts.get(name) ?? 0) + 1);
      return true;
    },
    end: () => {
      areOver = true;
    },
  };
}

/** The error of an injected fault. */
export class InjectedFaultError extends Error {
  override readonly name = 'InjectedFaultError';
}

function mapRates(rate: (highest: number) => number): FaultRates {
  const drawn = Object.entries(HIGHEST_RATES).map(([name, highest]) => [name, rate(highest)]);
  return Object.fromEntries(drawn) as FaultRates;
}
