import type { Mutant } from './planted-bugs.ts';

const ASK_OTHERS = 'functions/run-contracts/ask-others.ts';
const COMPARE = 'shared/domain/polling/second-opinion.ts';

/** In what becomes of a floor where a second provider stands beside the first. */
export const PLANTED_IN_OPINIONS: readonly Mutant[] = [
  {
    name: 'a second provider does not stand in for one that fails',
    file: ASK_OTHERS,
    from: "if (kind === 'empty') return asked;",
    to: "if (kind === 'empty' || kind === 'failed') return asked;",
  },
  {
    name: 'a floor that a second provider contradicts is committed',
    file: ASK_OTHERS,
    from: 'return { part, answer: { part, askedAt: answer.askedAt, outcome: verdict } };',
    to: 'return asked;',
  },
  {
    name: 'a floor that a second provider cannot vouch for is confirmed',
    file: ASK_OTHERS,
    from: "case 'single':\n        return asked;",
    to: "case 'single':\n        return { ...asked, answer: { ...answer, confirmedBy: provider } };",
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
    file: 'shared/domain/polling/absorb-answers.ts',
    from: 'const kept = confirmedBy === undefined ? same : withoutDispute(same);',
    to: 'const kept = withoutDispute(same);',
  },
];
