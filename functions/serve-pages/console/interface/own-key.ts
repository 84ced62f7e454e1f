import { signal } from '@preact/signals';
import type { Answer } from './operations.ts';

/** The key of the session, as soon as it is known: pages offer what it may do. */
export const ownKey = signal<Answer<'GET /v1/key'> | undefined>(undefined);

/** Whether the key may change lists. */
export function mayWrite(): boolean {
  return ownKey.value?.may.includes('write') === true;
}
