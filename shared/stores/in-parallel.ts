import { waitForAll } from '#shared/use-cases/wait-for-all.ts';

/** Runs `work` for each item, at most `most` at a time. After a failure no more work is started. */
export async function inParallel<Thing>(
  things: Iterable<Thing>,
  most: number,
  work: (thing: Thing) => Promise<void>,
): Promise<void> {
  const left = Iterator.from(things);
  let hasFailed = false;
  const worker = async () => {
    for (let next = left.next(); next.done !== true && !hasFailed; next = left.next()) {
      try {
        await work(next.value);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  await waitForAll(Array.from({ length: most }, worker));
}
