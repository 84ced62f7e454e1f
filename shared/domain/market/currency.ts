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
