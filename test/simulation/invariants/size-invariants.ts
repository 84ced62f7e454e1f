import type { Written } from '#test/simulation/services/faulty-table.ts';

const KB = 1024;
/** What DynamoDB takes; of this simulation's lists, whose owners write little, none comes near. */
const LARGEST = 64 * KB;

/**
 * So many bytes an item has at most: by the beginning of its partition key or, of a tenant's and
 * the stack's items, of its sort key.
 */
const BOUNDS: Readonly<Record<string, number>> = {
  /** A pass reads all contracts each minute. 1 KB holds two series; a dozen waiting metrics need more. */
  CONTRACTS: 2.5 * KB,
  HISTORY: 0.5 * KB,
  /** The rule, and the destinations of its episode. */
  WATCHES: 4 * KB,
  ALERT: 4 * KB,
  /** Of a muted watch the names of twenty alerts. */
  INBOX: 3 * KB,
  HINTS: 1 * KB,
  /** A notification names a thousand alerts at most. */
  CHANNEL: LARGEST,
  LIST: 16 * KB,
  /** Twenty of them. */
  MUTES: 8 * KB,
  KEYS: 0.5 * KB,
  /** With an answer to a small request. */
  IDEMPOTENCY: 4 * KB,
  /** A hundred lists. */
  QUOTA: 16 * KB,
  JOBS: 1 * KB,
  /** Names of parts of a list, or its document. */
  CHANGES: 16 * KB,
  ACK: 1 * KB,
  ADDRESS: 0.5 * KB,
  /** Twenty addresses. */
  TOPICS: 4 * KB,
  GOVERNOR: 1 * KB,
  CADENCES: 0.5 * KB,
  PROGRESS: KB,
  USAGE: 0.5 * KB,
};

/** A step that waits in its contract's record, with the floor in three series. */
const STEP = 1 * KB;
/** The name of a contract in a job. */
const NAME = 64;
/** A floor that came too late for a step, or too early. */
const OTHER = 0.25 * KB;

/** Holds each item as it is written against its bound. */
export function createSizeInvariants(broken: (invariant: string, what: string) => void) {
  return {
    written: ({ key: { pk, sk }, after }: Written) => {
      if (after === undefined) return;
      const kind = [kindOf(pk), kindOf(sk)].find((name) => name in BOUNDS) ?? '';
      const {
        steps = [],
        late = [],
        ahead = [],
        contracts = [],
      } = after as Readonly<Record<string, readonly unknown[]>>;
      const others = late.length + ahead.length;
      const bound =
        (BOUNDS[kind] ?? 0) + steps.length * STEP + others * OTHER + contracts.length * NAME;
      const size = Buffer.byteLength(JSON.stringify(after));
      if (size > bound) broken('items are small', `${pk} ${sk}: ${size} of ${bound} bytes`);
    },
  };
}

function kindOf(key: string): string {
  const end = key.indexOf('#');
  return end === -1 ? key : key.slice(0, end);
}
