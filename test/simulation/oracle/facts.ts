/**
 * A price of one part of a contract as it was reported. A price of none is the knowledge that
 * nothing was sold.
 */
export type Fact = {
  /** Its number among the observations; zero for what is older than all of them. */
  readonly number: number;
  /** The number of the first fact that the same poll brought. */
  readonly poll: number;
  readonly part: string;
  readonly time: number;
  readonly price: bigint | undefined;
  readonly currency: string;
  readonly usd: bigint | undefined;
  /** A second provider vouched for it: it is no outlier. */
  readonly isConfirmed?: true;
  /** Of a floor that came after another: whether it had to wait for the next. */
  readonly hadToWait?: boolean;
  /** The price is that of the second provider. */
  readonly isOfOther?: true;
  /** What was reported between it and the one before is not known. */
  readonly isAfterGap?: boolean;
  /** The floor before it, unknown until now. */
  readonly secret?: Fact;
  /** Of such a floor: the time of the one with which it comes to be known. */
  readonly knownFrom?: number;
};

/** Whether a fact is known at a moment, if all before that is. */
export function isKnownAt({ time, knownFrom = time }: Fact, moment: number): boolean {
  return knownFrom <= moment;
}

/** How much was known of a contract at some moment. */
export type Forecast = {
  /** Observations up to this number. */
  readonly upTo: number;
  /** When the last answer of each part was asked for. */
  readonly answered: Readonly<Record<string, number | undefined>>;
  /** The recorded floors, in the order of time. */
  readonly past: readonly Fact[];
  /** Those that need not have moved anything, though a message may report them. */
  readonly alsoRecorded?: readonly Fact[];
  /** Since when none of the floors is missing. */
  readonly since?: number | undefined;
  /** Whether what was observed is newer than what is recorded: its observer died before it wrote that. */
  readonly isRecordedLate?: boolean;
  /** Whether all of it had been evaluated before: no news is held against what was a glitch. */
  readonly isEvaluatedBefore?: boolean;
  /** Whether the newest is looked at once more, without a memory of what it has revised. */
  readonly isAgain?: boolean;
};

/** The order of time; at one time, what was reported first comes first. */
export function inTime(left: Fact, right: Fact): number {
  return left.time - right.time || left.number - right.number;
}

/**
 * All that is known of some parts, in the order of time. What is older than the newest is as it was
 * recorded last: a new report of the past has the last word on it.
 */
export function factsKnown(
  parts: readonly string[],
  facts: readonly Fact[],
  forecast: Forecast,
): readonly Fact[] {
  const all = allKnown(parts, facts, forecast);
  const { since } = forecast;
  const first = all.find(({ part, time }) => part === 'floor' && time >= (since ?? Infinity));
  return all.map((fact) =>
    first !== undefined && fact.part === 'floor' && fact.time === first.time
      ? { ...fact, isAfterGap: true }
      : fact,
  );
}

function allKnown(
  parts: readonly string[],
  facts: readonly Fact[],
  { upTo, past, isRecordedLate = false }: Forecast,
): readonly Fact[] {
  const known = facts.filter(({ part, number }) => number <= upTo && parts.includes(part));
  if (past.length === 0 || !parts.includes('floor')) return known.toSorted(inTime);
  const floors = known.filter(({ part }) => part === 'floor');
  const newest = floors.at(-1)?.time ?? 0;
  const recorded = new Map(past.map((fact) => [fact.time, fact]));
  const last = new Map(floors.map((fact) => [fact.time, fact]));
  const corrected = known.map((fact) => {
    const reported = recorded.get(fact.time);
    const isOld = fact.time < newest && last.get(fact.time) === fact;
    return isOld && !isRecordedLate && reported !== undefined
      ? { ...reported, ...ofItself(fact) }
      : fact;
  });
  const before = past.filter(({ time }) => time < newest && !last.has(time));
  return [...before, ...corrected].toSorted(inTime);
}

/** What a fact is, whatever is recorded in its place. */
function ofItself({ number, poll, secret, isOfOther }: Fact): Partial<Fact> {
  return {
    ...{ number, poll },
    ...(secret === undefined ? {} : { secret }),
    ...(isOfOther === undefined ? {} : { isOfOther }),
  };
}

/** The last that is known of a part. */
export function newestOf(part: string, known: readonly Fact[]): Fact | undefined {
  return known.findLast((fact) => fact.part === part);
}

/** When the last answer was asked for that reports all parts; undefined while one has none. */
export function answeredFor(parts: readonly string[], { answered }: Forecast): number | undefined {
  const times = parts.map((part) => answered[part]);
  return times.includes(undefined) ? undefined : Math.min(...times.map((time) => time ?? 0));
}
