/** Does something with each of some things, with so many of them at once. */
export async function inParallel<Thing>(
  things: Iterable<Thing>,
  most: number,
  work: (thing: Thing) => Promise<void>,
): Promise<void> {
  const left = Iterator.from(things);
  const worker = async () => {
    for (let next = left.next(); next.done !== true; next = left.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: most }, worker));
}
