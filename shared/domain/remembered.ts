import type { Instant } from '#shared/domain/market/instant.ts';

/** A reader that reads anew only what is so many milliseconds old; a failure is not remembered. */
export function remembered<Value>(
  read: () => Promise<Value>,
  milliseconds: number,
  now: () => Instant,
): () => Promise<Value> {
  let known: { readonly value: Value; readonly readAt: Instant } | undefined;
  return async () => {
    const readAt = now();
    if (known === undefined || readAt - known.readAt >= milliseconds) {
      known = { value: await read(), readAt };
    }
    return known.value;
  };
}
