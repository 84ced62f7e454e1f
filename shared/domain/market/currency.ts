import { CHAINS } from './chains.ts';

/** Wrapped and former names of one and the same money. */
const SAME_MONEY: ReadonlyMap<string, string> = new Map([
  ['weth', 'eth'],
  ['matic', 'pol'],
  ['wmatic', 'pol'],
  ['wpol', 'pol'],
  ['wbnb', 'bnb'],
  ['wavax', 'avax'],
  ['wftm', 'ftm'],
  ['wcro', 'cro'],
  ['wxdai', 'xdai'],
  ['wchz', 'chz'],
  ['wglmr', 'glmr'],
  ['wmovr', 'movr'],
  ['wflow', 'flow'],
]);

/** The unit that a currency label stands for: lower case, wrapped money as the money itself. */
export function unitOf(label: string): string {
  const lower = label.trim().toLowerCase();
  return SAME_MONEY.get(lower) ?? lower;
}

/** Money beside the chains' own in which collections are listed and paid. */
const TOKENS = ['usd', 'usdc', 'usdt', 'dai', 'ape', 'ash', 'gala', 'magic', 'mana', 'sand'];

/**
 * The currencies that a rule may name, each once. A symbol that is mistyped would be watched for
 * ever and never reported; and each that is watched is a threshold index on its contract's record,
 * which must stay small.
 */
export const UNITS: readonly string[] = [
  ...new Set([...CHAINS.map(({ currency }) => currency), ...TOKENS]),
];
