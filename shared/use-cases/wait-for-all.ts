/**
 * Waits for each, also where one fails, and fails then: nothing is to go on when its invocation is
 * over, since it would do so in the next one.
 */
export async function waitForAll<Values extends readonly unknown[]>(
  promises: {
    readonly [Index in keyof Values]: Promise<Values[Index]>;
  },
): Promise<Values> {
  await Promise.allSettled(promises);
  return await Promise.all(promises);
}
