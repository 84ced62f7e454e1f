import { type Instant, SECOND } from '#shared/domain/market/instant.ts';
import type { Block } from './answers.ts';

/** No block follows another sooner, since September 2022; slots may stay empty. */
const SLOT = 12 * SECOND;

/** The number of a block at or before a moment, by a later block: the last one if no slot was empty. */
export function blockBefore({ number, timestamp }: Block, moment: Instant): number {
  return Math.max(0, number - Math.max(0, Math.ceil((timestamp - moment) / SLOT)));
}

/** The number of a block at or after a moment, by an earlier block. */
export function blockAfter({ number, timestamp }: Block, moment: Instant): number {
  return number + Math.max(0, Math.ceil((moment - timestamp) / SLOT));
}

/** A number of a block as nodes write it. */
export function numberOf(block: number): string {
  return `0x${block.toString(16)}`;
}
