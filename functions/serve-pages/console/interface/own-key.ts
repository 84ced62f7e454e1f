import { signal } from '@preact/signals';
import type { Answer } from './operations.ts';

/** The key of the session, once it is known. Pages offer only the actions that it allows. */
export const ownKey = signal<Answer<'GET /v1/key'> | undefined>(undefined);

/** Whether the key may change lists. */
export function mayWrite(): boolean {
  return ownKey.value?.may.includes('write') === true;
}
