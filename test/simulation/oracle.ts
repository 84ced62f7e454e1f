/**
 * What a watch should say, told as plainly as the design tells it: from the facts in their order and
 * the moments of answers, with nothing of the product's own state machine, arithmetic or ladders.
 */

/** An observation as it was committed. A price of none is the knowledge that nothing was sold. */
export type Fact = {
  readonly number: number;
  readonly time: number;
  readonly price: bigint | undefined;
  readonly currency: string;
  readonly usd: bigint | undefined;
};

/** How much was known at some moment: facts up to a number, and when the last answer was asked for. */
export type Outlook = { readonly upTo: number; readonly answeredAt: number | undefined };

/** A rule as its list's document says it. */
export type OracleRule = {
  readonly unit: string;
  readonly when: string;
  readonly threshold: bigint;
  readonly low: bigint;
  readonly high: bigint;
  readonly recover: bigint | undefined;
  readonly for: number | undefined;
  readonly keepFor: number | undefined;
  readonly confirm: { readonly times: number; readonly of: number } | undefined;
  readonly arm: string;
  readonly once: boolean;
  readonly reminder: number | undefined;
  /** Percent, scaled as all amounts are. */
  readonly steps: bigint | undefined;
  readonly tellsRecovery: boolean;
  readonly expiresAt: number | undefined;
};

export type Belief = {
  readonly state: string;
  /** When it came to be: it starts with an answer that was asked for later. */
  readonly born: number;
  readonly stateSince: number | undefined;
  readonly side: 'under' | 'over' | undefined;
  /** The last observations, and whether each was beyond. */
  readonly ring: readonly boolean[];
  readonly firedAt: number | undefined;
  readonly lastTold: bigint | undefined;
  readonly remindedAt: number | undefined;
  readonly episodes: number;
  readonly alerts: number;
  /** Facts up to this number have been taken into account. */
  readonly judged: number;
};

/** What is to be said of a watch. */
type Utterance = {
  readonly kind: string;
  readonly value: bigint | undefined;
  readonly time: number;
  readonly episode: number;
};

export type Thought = { readonly belief: Belief; readonly said: readonly Utterance[] };

const HUNDRED_PERCENT = 100n * 10n ** 18n;

export function newBelief(born: number): Belief {
  return {
    state: 'unknown',
    born,
    stateSince: undefined,
    side: undefined,
    ring: [],
    firedAt: undefined,
    lastTold: undefined,
    remindedAt: undefined,
    episodes: 0,
    alerts: 0,
    judged: 0,
  };
}

/** Takes into account all that was known, in its order: facts before instants of the same time. */
export function think(
  rule: OracleRule,
  before: Belief,
  facts: readonly Fact[],
  outlook: Outlook,
): Thought {
  const known = facts.filter(({ number }) => number <= outlook.upTo);
  const thought = {
    belief: { ...before, judged: Math.max(before.judged, outlook.upTo) },
    said: [],
  };
  const until = outlook.answeredAt;
  if (before.state === 'unknown') {
    const newest = known.at(-1);
    if (newest === undefined || until === undefined || until <= before.born) return thought;
    const begun = see(rule, thought, newest);
    return begun.belief.state === 'unknown' ? begun : elapse(rule, begun, known, until);
  }
  const news = known.filter(({ number }) => number > before.judged);
  const seen = news.reduce<Thought>(
    (sofar, fact) => see(rule, elapse(rule, sofar, known, fact.time - 1), fact),
    thought,
  );
  return elapse(rule, seen, known, until ?? 0);
}

/** Lets the instants pass at which a watch moves by itself. */
function elapse(
  rule: OracleRule,
  thought: Thought,
  known: readonly Fact[],
  until: number,
): Thought {
  const instant = nextInstant(rule, thought.belief);
  if (instant === undefined || instant > until || isOver(rule, instant)) return thought;
  const held = known.findLast(({ time }) => time <= instant);
  const value = held && valueIn(rule, held);
  return elapse(rule, pass(rule, thought, value, instant), known, until);
}

function nextInstant(rule: OracleRule, belief: Belief): number | undefined {
  const { state, born, stateSince = 0, firedAt = 0, remindedAt = 0 } = belief;
  if (state === 'pending') return rule.for === undefined ? undefined : stateSince + rule.for;
  if (state === 'recovering') return stateSince + (rule.keepFor ?? 0);
  if (state !== 'firing' || rule.reminder === undefined) return undefined;
  // The clock began with the episode; it rings only while the rule fires and somebody watches.
  const after = Math.max(firedAt, remindedAt, stateSince, born);
  return firedAt + (Math.floor((after - firedAt) / rule.reminder) + 1) * rule.reminder;
}

function pass(
  rule: OracleRule,
  thought: Thought,
  value: bigint | undefined,
  time: number,
): Thought {
  switch (thought.belief.state) {
    case 'pending':
      return fire(thought, value, time);
    case 'recovering':
      return recover(rule, thought, value, time);
    default:
      return say(changed(thought, { remindedAt: time }), 'reminder', value, time);
  }
}

function see(rule: OracleRule, thought: Thought, fact: Fact): Thought {
  const { time } = fact;
  if (isOver(rule, time)) return thought;
  if (fact.price === undefined) return seeNothing(rule, thought, time);
  const value = valueIn(rule, fact);
  if (value === undefined) return thought;
  if (rule.when === 'crosses') return seeCrossing(rule, thought, value, time);
  const { belief } = thought;
  const beyond = isBeyond(rule, value);
  switch (belief.state) {
    case 'unknown':
      if (beyond && rule.arm === 'cross') return enter(thought, 'disarmed', time);
      return beyond ? trigger(rule, thought, value, time) : enter(thought, 'ok', time);
    case 'ok':
      return beyond ? trigger(rule, thought, value, time) : thought;
    case 'disarmed':
      return beyond ? thought : enter(thought, 'ok', time);
    case 'pending':
      if (rule.confirm !== undefined) return count(rule, thought, beyond, value, time);
      return beyond ? thought : enter(thought, 'ok', time);
    case 'firing':
      if (!isBack(rule, value)) return worsen(rule, thought, value, time);
      return rule.keepFor === undefined
        ? recover(rule, thought, value, time)
        : enter(thought, 'recovering', time);
    case 'recovering':
      return isBack(rule, value) ? thought : enter(thought, 'firing', time);
    default:
      return thought;
  }
}

/** That nothing was sold never fires: it ends what was too low, and is a beginning. */
function seeNothing(rule: OracleRule, thought: Thought, time: number): Thought {
  const { state } = thought.belief;
  if (rule.when !== 'below' && rule.when !== 'above') return thought;
  if (state === 'unknown') return enter(thought, 'ok', time);
  const isOpen = state === 'firing' || state === 'recovering';
  return isOpen && rule.when === 'below' ? recover(rule, thought, undefined, time) : thought;
}

/** Each crossing is told; a value at the line stays where it came from. */
function seeCrossing(rule: OracleRule, thought: Thought, value: bigint, time: number): Thought {
  const { belief } = thought;
  const begun = belief.state === 'unknown' ? enter(thought, 'ok', time) : thought;
  if (value === rule.threshold) return begun;
  const side = value < rule.threshold ? 'under' : 'over';
  if (belief.side === undefined || belief.side === side) return changed(begun, { side });
  return say(changed(begun, { side, stateSince: time }), 'fired', value, time);
}

function trigger(rule: OracleRule, thought: Thought, value: bigint, time: number): Thought {
  if (rule.for !== undefined) return enter(thought, 'pending', time);
  return rule.confirm === undefined
    ? fire(thought, value, time)
    : count(rule, thought, true, value, time);
}

function count(
  rule: OracleRule,
  thought: Thought,
  beyond: boolean,
  value: bigint,
  time: number,
): Thought {
  const { times, of } = rule.confirm ?? { times: 1, of: 1 };
  const ring = [...thought.belief.ring, beyond].slice(-of);
  const beyonds = ring.filter((one) => one).length;
  if (beyonds >= times) return fire(changed(thought, { ring: [] }), value, time);
  if (beyonds === 0) return enter(changed(thought, { ring: [] }), 'ok', time);
  const counted = changed(thought, { ring });
  return thought.belief.state === 'pending' ? counted : enter(counted, 'pending', time);
}

function fire(thought: Thought, value: bigint | undefined, time: number): Thought {
  const episodes = thought.belief.episodes + 1;
  const fired = changed(enter(thought, 'firing', time), { episodes, firedAt: time });
  return say(fired, 'fired', value, time);
}

/** A step is a share of what was told last. */
function worsen(rule: OracleRule, thought: Thought, value: bigint, time: number): Thought {
  const { lastTold } = thought.belief;
  if (rule.steps === undefined || lastTold === undefined) return thought;
  const further = rule.when === 'below' ? lastTold - value : value - lastTold;
  const isStep = further > 0n && further * HUNDRED_PERCENT >= lastTold * rule.steps;
  return isStep ? say(thought, 'worsened', value, time) : thought;
}

function recover(
  rule: OracleRule,
  thought: Thought,
  value: bigint | undefined,
  time: number,
): Thought {
  const over = enter(thought, rule.once ? 'ended' : 'ok', time);
  const told = rule.tellsRecovery ? say(over, 'recovered', value, time) : over;
  return changed(told, { firedAt: undefined, lastTold: undefined, remindedAt: undefined });
}

function say(thought: Thought, kind: string, value: bigint | undefined, time: number): Thought {
  const { belief, said } = thought;
  const utterance = { kind, value, time, episode: belief.episodes };
  // Steps go on from what was told as news.
  const lastTold = kind === 'reminder' ? belief.lastTold : (value ?? belief.lastTold);
  return {
    belief: { ...belief, alerts: belief.alerts + 1, lastTold },
    said: [...said, utterance],
  };
}

function enter(thought: Thought, state: string, time: number): Thought {
  return changed(thought, { state, stateSince: time });
}

function changed({ belief, said }: Thought, change: Partial<Belief>): Thought {
  return { belief: { ...belief, ...change }, said };
}

function valueIn(rule: OracleRule, fact: Fact): bigint | undefined {
  if (rule.unit === 'usd') return fact.usd;
  return fact.currency === rule.unit ? fact.price : undefined;
}

function isBeyond(rule: OracleRule, value: bigint): boolean {
  const isInside = value >= rule.low && value <= rule.high;
  if (rule.when === 'inside') return isInside;
  if (rule.when === 'outside') return !isInside;
  return rule.when === 'below' ? value <= rule.threshold : value >= rule.threshold;
}

function isBack(rule: OracleRule, value: bigint): boolean {
  if (rule.recover === undefined) return !isBeyond(rule, value);
  return rule.when === 'below' ? value >= rule.recover : value <= rule.recover;
}

function isOver({ expiresAt }: OracleRule, instant: number): boolean {
  return expiresAt !== undefined && instant >= expiresAt;
}
