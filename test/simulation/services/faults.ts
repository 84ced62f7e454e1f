import type { Stream } from './streams.ts';

/** Everything that can go wrong, each with the highest rate that a seed may draw for it. */
const HIGHEST_RATES = {
  /** A function ends before or after what it was about to ask for. */
  crashBefore: 0.01,
  crashAfter: 0.01,
  /** A function stands still for minutes, and is ended at its timeout. */
  freeze: 0.004,
  /** A function stands still for minutes, and goes on although its work was given to another. */
  zombie: 0.004,
  /** The table refuses. */
  tableThrottles: 0.02,
  /** The table applies a write, and its answer is lost. */
  writeUnknown: 0.02,
  /** A write is lost on its way: the writer cannot tell it from a write whose answer was lost. */
  writeLost: 0.02,
  /** What the index of timers reports is seconds to minutes old. */
  dueStale: 0.5,
  sendFails: 0.02,
  /** Some of the messages of a batch are sent although the answer says that it failed. */
  sendUnknown: 0.02,
  messageLost: 0.03,
  /** A message that was handled is not taken off its queue. */
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
  /** The key is another from now on, and the parameter says it; or says it minutes later. */
  keyRenewed: 0.02,
  keyRevoked: 0.01,
  upstreamSlow: 0.1,
  /** An answer of some time ago. */
  upstreamStale: 0.2,
  /** The last point is reported anew with another value. */
  upstreamRevises: 0.1,
  /** Points in another money, or without their value in dollars. */
  upstreamOtherMoney: 0.05,
  destinationFails: 0.2,
  /** A message arrives although the answer says that it failed. */
  destinationUnknown: 0.05,
  destinationSlow: 0.1,
  destinationThrottles: 0.1,
  destinationRefuses: 0.05,
  destinationGone: 0.04,
  subscriberLeaves: 0.5,
  /** What a queue holds makes no sense. */
  messageGarbled: 0.02,
} as const;

type FaultName = keyof typeof HIGHEST_RATES;
export type FaultRates = Readonly<Record<FaultName, number>>;

/** Every tenth seed is a calm one. In the others each fault is on or off, with a rate of its own. */
export function drawFaults(stream: Stream): FaultRates {
  const isCalm = stream.happens(0.1);
  const share = stream.pick([0.1, 0.3, 0.6]);
  return mapRates((highest) => {
    const [isOn, strength] = [stream.happens(share), stream.between(1, 100)];
    return isOn && !isCalm ? (highest * strength) / 100 : 0;
  });
}

/** The faults of one run; all of them end when it is to heal. */
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

/** What the world says where a fault struck. */
export class InjectedFaultError extends Error {
  override readonly name = 'InjectedFaultError';
}

function mapRates(rate: (highest: number) => number): FaultRates {
  const drawn = Object.entries(HIGHEST_RATES).map(([name, highest]) => [name, rate(highest)]);
  return Object.fromEntries(drawn) as FaultRates;
}
