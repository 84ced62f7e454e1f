import { callsGranted, type FunctionName, GRANTED_RIGHTS } from '#test/support/granted-rights.ts';

export type RightsInvariants = {
  /** Called for each call through a port. `port` contains the operation and its target. */
  readonly called: (by: string, port: string) => void;
  /** The used rights: function, operation, and kind of item or queue. */
  readonly used: () => readonly string[];
};

/** Checks that functions use only rights that the stack grants them. */
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
          broken('functions use only granted rights', right);
        }
      }
    },
  };
}

/**
 * The rights that a call needs: operations with kinds of items, or a queue. Calls outside AWS need
 * no right. A transaction needs the right to each of its writes.
 */
function callsIn(port: string): readonly string[] {
  if (port.startsWith('transact ')) return port.match(/\b(?:put|delete) [A-Z]+/g) ?? [];
  return /^(?:send \w+|(?:get|put|delete|query|thresholdIndex|due) [A-Z]+)/.exec(port) ?? [];
}
