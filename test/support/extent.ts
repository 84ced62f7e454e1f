import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Unit tests try a slice of the cases, contract tests the whole. */
    extent: 'slice' | 'whole';
    /** A number that changes with each commit. */
    commit: number;
  }
}

export const isWhole = inject('extent') === 'whole';

/** All cases; in unit tests `count` of them, others with each commit. */
export function casesOf<Case>(all: readonly Case[], count: number): readonly Case[] {
  if (isWhole || all.length <= count) return all;
  const first = (inject('commit') * count) % all.length;
  return Array.from({ length: count }, (_, index) => all[(first + index) % all.length] as Case);
}

/** A third of many similar cases, spread evenly, another third with each commit. */
export function thirdOf<Case>(all: readonly Case[]): readonly Case[] {
  const first = inject('commit') % 3;
  return all.filter((_, index) => index % 3 === first);
}

/** The numbers of calls, of which each may be the last one before a death. */
export function placesIn(calls: readonly unknown[]): readonly number[] {
  return calls.map((_, index) => index + 1);
}

/** Runs of a property with random values: in unit tests a fifth of them, other values with each commit. */
export function runsOf(whole: number) {
  return isWhole
    ? { numRuns: whole, seed: 0 }
    : { numRuns: Math.ceil(whole / 5), seed: inject('commit') };
}
