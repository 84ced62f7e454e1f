import type { Mutant } from './planted-bugs.ts';

const ASK_OTHERS = 'functions/poll-prices/ask-others.ts';
const ABSORB = 'shared/domain/polling/absorb-answers.ts';
const COMPARE = 'shared/domain/polling/second-opinion.ts';
const APPEND = 'shared/domain/timeline/append-poll.ts';

/** Bugs in the comparison of two providers. */
export const PLANTED_IN_OPINIONS: readonly Mutant[] = [
  {
    name: 'a failing provider has no fallback',
    file: ASK_OTHERS,
    from: 'if (answer !== undefined && isAnswer(answer.outcome)) {',
    to: 'if (answer !== undefined) {',
  },
  {
    name: 'a plan for the second provider is charged to the first',
    file: 'functions/poll-prices/claim-pass.ts',
    from: ': { provider: limits.provider, rateLimiter: planned.rateLimiter };',
    to: ': { provider: ports.provider, rateLimiter: { ...planned.rateLimiter, version: first.rateLimiter.version } };',
  },
  {
    name: 'polls wait for the first provider despite a fallback',
    file: 'functions/poll-prices/claim-pass.ts',
    from: 'const claim = stopped === undefined && {',
    to: 'const claim = first.stopped === undefined && {',
    survives:
      'the second provider is called too often, and no alert is wrong; other-providers.test.ts covers it',
  },
  {
    name: 'a floor that a second provider contradicts is committed',
    file: ABSORB,
    from: 'return { ...answer, outcome: verdict };',
    to: 'return answer;',
  },
  {
    name: 'a floor is confirmed although the second provider cannot confirm it',
    file: ABSORB,
    from: "case 'single':\n      return { ...answer, isAlone: true };",
    to: "case 'single':\n      return { ...answer, confirmedBy: second.provider };",
  },
  {
    name: 'if two providers move the same way, the farther price is used',
    file: COMPARE,
    from: 'const isNearer = isBetween(before.price, floor.price, other.price);',
    to: 'const isNearer = isBetween(before.price, other.price, floor.price);',
  },
  {
    name: 'a confirmed floor keeps the time of the second provider',
    file: COMPARE,
    from: 'const confirmed = { ...other, time: floor.time };',
    to: 'const confirmed = { ...other };',
  },
  {
    name: 'a second provider that is always wrong is overruled for one poll',
    file: ABSORB,
    from: 'const kept = confirmedBy === undefined ? same : withoutDispute(same);',
    to: 'const kept = withoutDispute(same);',
  },
  {
    name: 'a rule that needs two sources uses a floor of one',
    file: 'shared/domain/evaluation/known-at-step.ts',
    from: "minSources !== undefined)) return 'agreed';",
    to: "minSources !== undefined)) return 'floor';",
  },
  {
    name: 'a rule that needs two sources never gets a floor',
    file: APPEND,
    from: 'floor.confirmedBy === undefined ? { ...floor, isWithheld: true } : floor;',
    to: '{ ...floor, isWithheld: true };',
  },
  {
    name: 'a floor that is confirmed later stays unconfirmed',
    file: ABSORB,
    from: 'return isConfirmed ? [{ ...newest, confirmedBy }] : [];',
    to: 'return [];',
  },
];
