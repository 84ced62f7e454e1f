import type { Instant } from '#shared/domain/market/instant.ts';

/**
 * A reader that reads anew only what is so many milliseconds old, or what its reader says is refused
 * (`refresh`); a failure is not remembered.
 */
export function remembered<Value>(
  read: () => Promise<Value>,
  milliseconds: number,
  now: () => Instant,
): (refresh?: boolean) => Promise<Value> {
  let known: { readonly value: Value; readonly readAt: Instant } | undefined;
  return async (refresh = false) => {
    const readAt = now();
    if (refresh || known === undefined || readAt - known.readAt >= milliseconds) {
      known = { value: await read(), readAt };
    }
    return known.value;
  };
}
