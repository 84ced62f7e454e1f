import type { Outcome } from '#shared/domain/market/upstream.ts';

/** Asks for a path below a contract's collection. */
export type Ask = <Value>(
  path: (slug: string) => string,
  query: Readonly<Record<string, string>>,
  read: (body: string) => Outcome<Value>,
) => Promise<Outcome<Value>>;
