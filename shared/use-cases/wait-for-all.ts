/**
 * Waits for each, also where one fails, and fails then: nothing is to go on when its invocation is
 * over, since it would do so in the next one.
 */
export async function waitForAll<Value>(
  promises: readonly Promise<Value>[],
): Promise<readonly Value[]> {
  await Promise.allSettled(promises);
  return await Promise.all(promises);
}
