import type { Written } from '#test/simulation/services/faulty-table.ts';

const KB = 1024;
/** The largest bound of any item, far below the limit of DynamoDB. */
const LARGEST = 64 * KB;

/**
 * Maximum size of items in bytes, by the prefix of their partition key or, for items of a tenant or
 * the stack, of their sort key.
 */
const BOUNDS: Readonly<Record<string, number>> = {
  /**
   * A pass reads all contracts each minute. 1 KB suffices for two series; a dozen threshold indexes
   * need more.
   */
  CONTRACTS: 2.5 * KB,
  HISTORY: 0.5 * KB,
  /** Contains the rule, and the destinations of its episode. */
  WATCHES: 4 * KB,
  ALERT: 4 * KB,
  /** Contains the names of up to twenty alerts of a muted watch. */
  INBOX: 3 * KB,
  INTENT: 1 * KB,
  /** A notification names at most a thousand alerts. */
  CHANNEL: LARGEST,
  LIST: 16 * KB,
  /** Contains up to twenty mutes. */
  MUTES: 8 * KB,
  KEYS: 0.5 * KB,
  /** Contains the answer to a small request. */
  IDEMPOTENCY: 4 * KB,
  /** Contains the usage of up to a hundred lists. */
  QUOTA: 16 * KB,
  JOBS: 1 * KB,
  /** Contains the names of changed parts of a list, or the document of the list. */
  CHANGES: 16 * KB,
  ACK: 1 * KB,
  ADDRESS: 0.5 * KB,
  /** Contains up to twenty addresses. */
  TOPICS: 4 * KB,
  RATE_LIMITER: 1 * KB,
  CADENCES: 0.5 * KB,
  PROGRESS: KB,
  USAGE: 0.5 * KB,
};

/** Size of a pending step in the record of a contract, with the floor in three series. */
const STEP = 1 * KB;
/** Size of the name of a contract in a job. */
const NAME = 64;
/** Size of a floor that came too late, or too early, for a step. */
const OTHER = 0.25 * KB;

/** Checks the size of each written item against its bound. */
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
