/**
 * Waits for all promises, even if one fails, and only then throws. Otherwise the others would
 * continue in the next invocation.
 */
export async function waitForAll<Values extends readonly unknown[]>(
  promises: {
    readonly [Index in keyof Values]: Promise<Values[Index]>;
  },
): Promise<Values> {
  await Promise.allSettled(promises);
  return await Promise.all(promises);
}
