/** A price of one part of a contract as it was told. A price of none is the knowledge that nothing was sold. */
export type Fact = {
  /** Its number among the observations; zero for what is older than all of them. */
  readonly number: number;
  readonly part: string;
  readonly time: number;
  readonly price: bigint | undefined;
  readonly currency: string;
  readonly usd: bigint | undefined;
};

/** How much was known of a contract at some moment. */
export type Outlook = {
  /** Observations up to this number. */
  readonly upTo: number;
  /** When the last answer of each part was asked for. */
  readonly answered: Readonly<Record<string, number | undefined>>;
  /** Floors of the time before the first observation. */
  readonly past: readonly Fact[];
};

/** The order of time; at one time, what was told first comes first. */
export function inTime(left: Fact, right: Fact): number {
  return left.time - right.time || left.number - right.number;
}

/** All that is known of some parts, in the order of time. */
export function factsKnown(
  parts: readonly string[],
  facts: readonly Fact[],
  { upTo, past }: Outlook,
): readonly Fact[] {
  const known = facts.filter(({ part, number }) => number <= upTo && parts.includes(part));
  const first = known.find(({ part }) => part === 'floor')?.time ?? 0;
  const before = parts.includes('floor') ? past.filter(({ time }) => time < first) : [];
  return [...before, ...known].toSorted(inTime);
}

/** The last that is known of a part. */
export function newestOf(part: string, known: readonly Fact[]): Fact | undefined {
  return known.findLast((fact) => fact.part === part);
}

/** When the last answer was asked for that tells of all parts; undefined while one has none. */
export function answeredFor(parts: readonly string[], { answered }: Outlook): number | undefined {
  const times = parts.map((part) => answered[part]);
  return times.includes(undefined) ? undefined : Math.min(...times.map((time) => time ?? 0));
}
