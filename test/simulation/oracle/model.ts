import type { Fact } from './facts.ts';

/** What the oracle believes of a watch. */
export type ModelState = {
  readonly state: string;
  /** When it came to be: it starts with an answer that was asked for later. */
  readonly born: number;
  /** Whether that answer is still to come. */
  readonly isWaiting: boolean;
  readonly stateSince: number | undefined;
  readonly side: 'under' | 'over' | undefined;
  /** The last observations, and whether each was beyond. */
  readonly ring: readonly boolean[];
  readonly firedAt: number | undefined;
  readonly lastReported: bigint | undefined;
  readonly remindedAt: number | undefined;
  readonly episodes: number;
  readonly alerts: number;
  /** Since when it is reported that it has never had a value. */
  readonly noValueSince: number | undefined;
  /** Whether an answer from its end has come: it says nothing more. */
  readonly isOver: boolean;
  /** Facts up to this number have been taken into account. */
  readonly evaluated: number;
  /** Window expiries up to this moment have been taken into account. */
  readonly windowsExpiredTo: number | undefined;
  /** Where more than one number is looked at: it has moved then, and never goes back behind that. */
  readonly movedAt: number;
};

/** What is to be said of a watch. */
export type ExpectedAlert = {
  readonly kind: string;
  readonly value: bigint | undefined;
  readonly time: number;
  readonly episode: number;
  /** The moment of the news, by which it is late; undefined for one that cannot be. */
  readonly newsAt: number | undefined;
  /** What may be reported as the value before: of a beginning, more than one. */
  readonly previous: readonly (bigint | undefined)[];
  readonly line: bigint;
  readonly usd: bigint | undefined;
  readonly lasted: number | undefined;
  /** One of these, by what is taken for known. */
  readonly extremes: readonly (bigint | undefined)[];
};

export type Prediction = {
  readonly modelState: ModelState;
  readonly said: readonly ExpectedAlert[];
};

type Earlier = {
  readonly time: number;
  /** Each of these may be what somebody remembers. */
  readonly known: readonly (readonly Fact[])[];
};

/** A moment that may move a watch, and what was known of it, in the order of time. */
export type Moment = {
  readonly time: number;
  readonly known: readonly Fact[];
  /** All that is known by now, of whatever time: by each way to look at it. */
  readonly all: readonly (readonly Fact[])[];
  readonly newsAt: number | undefined;
  /** Whether a price is another than the one before. */
  readonly hasMoved?: boolean;
  /** Whether it was reported otherwise before. */
  readonly isRevision?: boolean;
  /** What was known just before. */
  readonly earlier?: Earlier;
  /** What the clock says. */
  readonly clock?: bigint;
};

export function newModelState(born: number): ModelState {
  return {
    state: 'unknown',
    born,
    isWaiting: true,
    stateSince: undefined,
    side: undefined,
    ring: [],
    firedAt: undefined,
    lastReported: undefined,
    remindedAt: undefined,
    episodes: 0,
    alerts: 0,
    noValueSince: undefined,
    isOver: false,
    evaluated: 0,
    windowsExpiredTo: undefined,
    movedAt: 0,
  };
}
