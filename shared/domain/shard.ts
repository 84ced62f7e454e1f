/**
 * The number of partitions of the registry and of each queue in the `due` index. Four partitions
 * allow four thousand writes a second.
 */
export const SHARDS = 4;

export function shardOf(text: string): number {
  return oneOf(SHARDS, text);
}

/** A stable, evenly distributed number below `count` for a text (FNV-1a). */
export function oneOf(count: number, text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0) % count;
}
