import { signal } from '@preact/signals';
import { isOffline } from './connection.ts';

/** The reason why a followed request has no current answer. */
export type Trouble = {
  /** No connection, a server error, or no answer within five seconds. */
  readonly kind: 'offline' | 'failed' | 'slow';
  /** The error message of the API. */
  readonly reason?: string;
  /** Time of the older answer that is shown, by the clock of this device. */
  readonly knownAt: number | undefined;
  readonly retry: () => void;
};

/** The followed requests of the page that have no current answer. */
export const troubles = signal<ReadonlyMap<object, Trouble>>(new Map());

/** Sets the trouble of a request. Undefined removes it. */
export function reportTrouble(question: object, trouble: Trouble | undefined): void {
  const known = troubles.peek();
  if (trouble === undefined && !known.has(question)) return;
  const next = new Map(known);
  if (trouble === undefined) next.delete(question);
  else next.set(question, trouble);
  troubles.value = next;
}

/** The worst trouble of the page, or undefined while all requests have current answers. */
export function worstTrouble(): Trouble['kind'] | undefined {
  if (isOffline.value) return 'offline';
  const kinds = [...troubles.value.values()].map(({ kind }) => kind);
  return (['offline', 'failed', 'slow'] as const).find((kind) => kinds.includes(kind));
}
