import { type Instant, SECOND } from '#shared/domain/market/instant.ts';
import type { Block } from './answers.ts';

/** The minimum time between blocks since September 2022; slots may stay empty. */
const SLOT = 12 * SECOND;

/**
 * The number of a block at or before an instant, computed from a later block. It is the last such
 * block if no slot was empty.
 */
export function blockBefore({ number, timestamp }: Block, moment: Instant): number {
  return Math.max(0, number - Math.max(0, Math.ceil((timestamp - moment) / SLOT)));
}

/** The number of a block at or after an instant, computed from an earlier block. */
export function blockAfter({ number, timestamp }: Block, moment: Instant): number {
  return number + Math.max(0, Math.ceil((moment - timestamp) / SLOT));
}

/** The JSON-RPC encoding of a block number. */
export function numberOf(block: number): string {
  return `0x${block.toString(16)}`;
}
