import { signal } from '@preact/signals';
import { isOffline } from './connection.ts';

/** Why a question has no current answer. */
export type Trouble = {
  /** No connection; an error of the server; no answer within seconds. */
  readonly kind: 'offline' | 'failed' | 'slow';
  /** The error in the words of the interface. */
  readonly reason?: string;
  /** Time of the answer that is shown instead, by the clock of this device. */
  readonly knownAt: number | undefined;
  readonly retry: () => void;
};

/** The questions of the page that have no current answer. */
export const troubles = signal<ReadonlyMap<object, Trouble>>(new Map());

/** Reports the trouble of a question; undefined as soon as it has none. */
export function reportTrouble(question: object, trouble: Trouble | undefined): void {
  const known = troubles.peek();
  if (trouble === undefined && !known.has(question)) return;
  const next = new Map(known);
  if (trouble === undefined) next.delete(question);
  else next.set(question, trouble);
  troubles.value = next;
}

/** What is wrong with the connection; undefined while all questions have current answers. */
export function worstTrouble(): Trouble['kind'] | undefined {
  if (isOffline.value) return 'offline';
  const kinds = [...troubles.value.values()].map(({ kind }) => kind);
  return (['offline', 'failed', 'slow'] as const).find((kind) => kinds.includes(kind));
}
