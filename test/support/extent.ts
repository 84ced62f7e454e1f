import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether all cases are lived through, or some of them that change with each commit. */
    extent: 'slice' | 'whole';
    turn: number;
  }
}

/** All cases; in the unit tests so many of them, others with each commit. */
export function casesOf<Case>(all: readonly Case[], count: number): readonly Case[] {
  if (isWhole || all.length <= count) return all;
  const first = (inject('turn') * count) % all.length;
  return Array.from({ length: count }, (_, index) => all[(first + index) % all.length] as Case);
}

export const isWhole = inject('extent') === 'whole';
