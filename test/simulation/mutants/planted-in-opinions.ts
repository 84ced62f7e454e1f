import type { Mutant } from './planted-bugs.ts';

const ASK_OTHERS = 'functions/poll-prices/ask-others.ts';
const ABSORB = 'shared/domain/polling/absorb-answers.ts';
const COMPARE = 'shared/domain/polling/second-opinion.ts';
const APPEND = 'shared/domain/timeline/append-poll.ts';

/** In what becomes of a floor where a second provider stands beside the first. */
export const PLANTED_IN_OPINIONS: readonly Mutant[] = [
  {
    name: 'a second provider does not stand in for one that fails',
    file: ASK_OTHERS,
    from: 'if (answer !== undefined && isAnswer(answer.outcome)) {',
    to: 'if (answer !== undefined) {',
  },
  {
    name: 'a plan for the second provider is written into the account of the first',
    file: 'functions/poll-prices/claim-pass.ts',
    from: ': { provider: limits.provider, governor: planned.governor };',
    to: ': { provider: ports.provider, governor: { ...planned.governor, version: first.governor.version } };',
  },
  {
    name: 'polls wait for the first provider while another stands in',
    file: 'functions/poll-prices/claim-pass.ts',
    from: 'const claim = stopped === undefined && {',
    to: 'const claim = first.stopped === undefined && {',
    survives:
      'the second is asked too often and no alert is wrong; other-providers.test.ts holds it',
  },
  {
    name: 'a floor that a second provider contradicts is committed',
    file: ABSORB,
    from: 'return { ...answer, outcome: verdict };',
    to: 'return answer;',
  },
  {
    name: 'a floor that a second provider cannot vouch for is confirmed',
    file: ABSORB,
    from: "case 'single':\n      return { ...answer, isAlone: true };",
    to: "case 'single':\n      return { ...answer, confirmedBy: second.provider };",
  },
  {
    name: 'of two providers that move the same way the further one is believed',
    file: COMPARE,
    from: 'const isNearer = isBetween(before.price, floor.price, other.price);',
    to: 'const isNearer = isBetween(before.price, other.price, floor.price);',
  },
  {
    name: 'the floor of a second provider keeps its own time',
    file: COMPARE,
    from: 'const vouched = { ...other, time: floor.time };',
    to: 'const vouched = { ...other };',
  },
  {
    name: 'a second provider that is always wrong is overruled for one poll',
    file: ABSORB,
    from: 'const kept = confirmedBy === undefined ? same : withoutDispute(same);',
    to: 'const kept = withoutDispute(same);',
  },
  {
    name: 'a rule that waits for a second source goes by a floor of one',
    file: 'shared/domain/evaluation/known-at-step.ts',
    from: "minSources !== undefined)) return 'agreed';",
    to: "minSources !== undefined)) return 'floor';",
  },
  {
    name: 'a rule that waits for a second source knows no floor',
    file: APPEND,
    from: 'floor.confirmedBy === undefined ? { ...floor, isWithheld: true } : floor;',
    to: '{ ...floor, isWithheld: true };',
  },
  {
    name: 'a floor that is confirmed later stays unconfirmed',
    file: ABSORB,
    from: 'return isVouchedFor ? [{ ...newest, confirmedBy }] : [];',
    to: 'return [];',
  },
];
