import type { Outcome } from '#shared/domain/market/upstream.ts';

/** Asks for a path below a contract's collection. */
export type Ask = <Value>(
  path: (slug: string) => string,
  query: Readonly<Record<string, string>>,
  read: (body: string) => Outcome<Value>,
) => Promise<Outcome<Value>>;

export function mapped<Given, Mapped>(
  outcome: Outcome<Given>,
  map: (value: Given) => Mapped,
): Outcome<Mapped> {
  return outcome.kind === 'ok' ? { kind: 'ok', value: map(outcome.value) } : outcome;
}
