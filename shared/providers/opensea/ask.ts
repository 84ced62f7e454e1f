import type { Outcome } from '#shared/domain/market/upstream.ts';

/** Requests a path below the collection of a contract. */
export type Ask = <Value>(
  path: (slug: string) => string,
  query: Readonly<Record<string, string>>,
  read: (body: string) => Outcome<Value>,
) => Promise<Outcome<Value>>;
