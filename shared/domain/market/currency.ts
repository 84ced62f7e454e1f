import { CHAINS } from './chains.ts';

/** Currencies by the symbols of their wrapped forms, and by their former symbols. */
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

/** The unit of a currency label, in lower case. A wrapped currency has the unit of the original. */
export function unitOf(label: string): string {
  const lower = label.trim().toLowerCase();
  return SAME_MONEY.get(lower) ?? lower;
}

/** Currencies of listings and sales, other than the native currencies of chains. */
const TOKENS = ['usd', 'usdc', 'usdt', 'dai', 'ape', 'ash', 'gala', 'magic', 'mana', 'sand'];

/**
 * The currencies that a rule may name. Other symbols are rejected for two reasons: a rule with a
 * mistyped symbol would never fire, and each currency adds a threshold index to the record of the
 * contract, which must stay small.
 */
export const UNITS: readonly string[] = [
  ...new Set([...CHAINS.map(({ currency }) => currency), ...TOKENS]),
];
