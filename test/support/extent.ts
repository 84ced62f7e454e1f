import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Unit tests run a slice of the cases, contract tests all. */
    extent: 'slice' | 'whole';
    /** A number that changes with each commit. */
    commit: number;
  }
}

export const isWhole = inject('extent') === 'whole';

/**
 * All cases in contract tests, but only `count` cases in unit tests; each commit selects other
 * cases.
 */
export function casesOf<Case>(all: readonly Case[], count: number): readonly Case[] {
  if (isWhole || all.length <= count) return all;
  const first = (inject('commit') * count) % all.length;
  return Array.from({ length: count }, (_, index) => all[(first + index) % all.length] as Case);
}

/** A third of many similar cases, spread evenly. Each commit selects a different third. */
export function thirdOf<Case>(all: readonly Case[]): readonly Case[] {
  const first = inject('commit') % 3;
  return all.filter((_, index) => index % 3 === first);
}

/** The positions of the calls after which a test may stop a function; the first call is 1. */
export function placesIn(calls: readonly unknown[]): readonly number[] {
  return calls.map((_, index) => index + 1);
}

/**
 * The number of runs of a property test; unit tests run a fifth, with another seed for each commit.
 */
export function runsOf(whole: number) {
  return isWhole
    ? { numRuns: whole, seed: 0 }
    : { numRuns: Math.ceil(whole / 5), seed: inject('commit') };
}
