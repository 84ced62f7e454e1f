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

/** The numbers of calls, of which each may be the last one before a death. */
export function placesIn(calls: readonly unknown[]): readonly number[] {
  return calls.map((_, index) => index + 1);
}

/**
 * How often a property is tried with random values, which are the same for a commit: in the unit tests
 * a fifth of that.
 */
export function runsOf(whole: number) {
  return { numRuns: isWhole ? whole : Math.ceil(whole / 5), seed: inject('turn') };
}

export const isWhole = inject('extent') === 'whole';
