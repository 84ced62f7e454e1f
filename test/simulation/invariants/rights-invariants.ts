import { callsGranted, type FunctionName, GRANTED_RIGHTS } from '#test/support/granted-rights.ts';

export type RightsInvariants = {
  /** Hears of each call through a port: what is done, and to what. */
  readonly called: (by: string, port: string) => void;
  /** The rights that were made use of: the function, what it did, and to which items or queue. */
  readonly used: () => readonly string[];
};

/** Holds what functions ask for against what the stack lets them do. */
export function createRightsInvariants(
  broken: (invariant: string, what: string) => void,
): RightsInvariants {
  const used = new Set<string>();
  return {
    used: () => [...used].toSorted(),

    called: (by, port) => {
      const name = by.split(' ', 1).join('');
      for (const call of callsIn(port)) {
        const right = `${name} ${call}`;
        if (used.has(right)) continue;
        used.add(right);
        if (!(name in GRANTED_RIGHTS) || !callsGranted(name as FunctionName).includes(call)) {
          broken('functions do only what they may', right);
        }
      }
    },
  };
}

/**
 * The operations and the kinds of items or the queue, as in rights; none unless AWS is called. A
 * transaction needs the right to each of its writes.
 */
function callsIn(port: string): readonly string[] {
  if (port.startsWith('transact ')) return port.match(/\b(?:put|delete) [A-Z]+/g) ?? [];
  return /^(?:send \w+|(?:get|put|delete|query|thresholdIndex|due) [A-Z]+)/.exec(port) ?? [];
}
