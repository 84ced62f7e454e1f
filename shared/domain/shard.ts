/**
 * The number of partitions of the registry and of each queue in the `due` index. Four partitions
 * allow four thousand writes a second.
 */
export const SHARDS = 4;

export function shardOf(text: string): number {
  return oneOf(SHARDS, text);
}

/**
 * Hashes a text to a number below `count` (FNV-1a): always the same for a text, and evenly
 * distributed.
 */
export function oneOf(count: number, text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0) % count;
}
