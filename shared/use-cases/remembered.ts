import type { Instant } from '#shared/domain/market/instant.ts';

/**
 * Caches a value for a number of milliseconds. `refresh` reads the value again, for example after a
 * service refused it. Failures are not cached.
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
