/** So many partitions hold four thousand writes a second. The registry and the `due` index are spread over as many partitions. */
export const SHARDS = 4;

/** The shard of a text. */
export function shardOf(text: string): number {
  return oneOf(SHARDS, text);
}

/** A number below `count` for a text: stable, evenly spread (FNV-1a). */
export function oneOf(count: number, text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0) % count;
}
