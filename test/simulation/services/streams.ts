import { createSeededRandom } from '#test/support/seeded-random.ts';

/**
 * A random generator for decisions of one kind. Its results do not change when decisions of another
 * kind are added.
 */
export type Stream = {
  /** Draws a whole number from `low` to `high`, both included. */
  readonly between: (low: number, high: number) => number;
  /** Draws whether an event of this probability happens. */
  readonly happens: (probability: number) => boolean;
  readonly pick: <Thing>(things: readonly Thing[]) => Thing;
};

/** The oldest streams. Adding a kind here would change every seed. */
const KINDS = ['expansion', 'workload', 'market', 'faults', 'schedule'] as const;
/**
 * The later streams have separate seeds, so that a new stream does not change the others:
 *
 * - `second`: the second provider
 * - `wallets`: the holdings of wallets
 * - `links`: the readers of links in messages
 * - `quiet`: quiet hours
 * - `escalations`: lists that escalate
 * - `snoozes`: mutes until a recovery
 * - `clients`: programs that repeat requests
 * - `ratios`: lists that compare floors
 * - `holdings`: costs of members
 * - `values`: lists with rules on their value
 */
export type Streams = Readonly<
  Record<
    | (typeof KINDS)[number]
    | 'second'
    | 'wallets'
    | 'links'
    | 'quiet'
    | 'escalations'
    | 'snoozes'
    | 'clients'
    | 'ratios'
    | 'holdings'
    | 'values',
    Stream
  >
>;

export function createStreams(seed: number): Streams {
  const [expansion, workload, market, faults, schedule] = KINDS.map((_kind, index) =>
    createStream(seed * KINDS.length + index),
  ) as [Stream, Stream, Stream, Stream, Stream];
  return {
    ...{ expansion, workload, market, faults, schedule },
    second: createStream(-1 - seed),
    wallets: createStream(-1_000_000_000 - seed),
    links: createStream(-1_000_001 - seed),
    quiet: createStream(-1_500_000_000 - seed),
    escalations: createStream(-2_000_000_001 - seed),
    snoozes: createStream(-2_100_000_001 - seed),
    clients: createStream(-500_000_000 - seed),
    ratios: createStream(-700_000_001 - seed),
    holdings: createStream(-700_000_000 - seed),
    values: createStream(-1_400_000_000 - seed),
  };
}

const GRAIN = 2 ** 30;

function createStream(seed: number): Stream {
  const { below, pick } = createSeededRandom(Math.imul(seed + 1, 0x9e3779b1));
  return {
    between: (low, high) => low + below(high - low + 1),
    happens: (probability) => probability > 0 && below(GRAIN) < probability * GRAIN,
    pick,
  };
}
