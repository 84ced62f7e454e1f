import { parseArgs } from 'node:util';

/** What `npm start` was asked to do. */
export type Options = {
  readonly market: MarketChoice;
  /** Virtual time against real time; `Infinity` for as fast as it goes. */
  readonly speed: number;
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly watchlists: string | undefined;
  readonly json: boolean;
  /** Real milliseconds after which to stop. */
  readonly stopAfter: number | undefined;
  readonly exitAtEnd: boolean;
  readonly port: number;
  /** Whether the v2.2 interface is answered from the archive alone. */
  readonly archive: boolean;
  readonly keep: string | undefined;
  readonly verbose: boolean;
  readonly startedByNpm: boolean;
};

export type MarketChoice =
  | { readonly kind: 'simulated'; readonly seed: number }
  | { readonly kind: 'replayed'; readonly folder: string }
  | { readonly kind: 'real'; readonly url: string; readonly key: string };

/** The command line or its environment asks for something that makes no sense. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly code = 'usage';
}

export const help = `npm start -- [options]

Runs the whole stack on this machine, by default against a simulated market.

  --data DIR              replay real data in the import format instead
  --from TIME --to TIME   the span of virtual time, e.g. 2021-08-03 or 2021-08-03T12:00Z
  --speed N|max           virtual time against real time while nothing runs (default 60;
                          max with --data: on to the next point or timer at once)
  --watchlists FILE.json  watchlists to create, or to replace where they are kept:
                          one document or an array of them
  --seed N                another simulated market (default 1)
  --json                  JSON lines only: ready, each alert and notification, end
  --for 60s               stop after that time (s, m or h)
  --exit-at-end           stop when virtual time is at its end
  --port N                port of the HTTP interface (default: any free one)
  --archive               answer the v2.2 interface from the archive alone, see npm run import
  --keep DIR              keep the table, the subscriptions and the time in DIR
  --verbose               show what the functions log
  --help                  this text

With UPSTREAM_URL and UPSTREAM_KEY set, the real service is asked, in real time.
`;

/** Reads the command line; `undefined` when only the help is asked for. */
export function readOptions(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Options | undefined {
  const given = readArguments(args);
  if (given.help) return undefined;
  const market = chooseMarket(given, environment);
  const from = given.from === undefined ? undefined : readTime('--from', given.from);
  const to = given.to === undefined ? undefined : readTime('--to', given.to);
  const speed = readSpeed(given.speed, market);
  const exitAtEnd = given['exit-at-end'];
  if (from !== undefined && to !== undefined && to <= from) {
    throw new UsageError('--to must be later than --from');
  }
  if (market.kind === 'real' && (from !== undefined || to !== undefined)) {
    throw new UsageError('--from and --to need --data or the simulated market');
  }
  if (exitAtEnd && market.kind !== 'replayed' && to === undefined) {
    throw new UsageError('--exit-at-end needs an end: --data or --to');
  }
  return {
    market,
    speed,
    from,
    to,
    watchlists: given.watchlists,
    json: given.json,
    stopAfter: given.for === undefined ? undefined : readDuration('--for', given.for),
    exitAtEnd,
    port: given.port === undefined ? 0 : readNumber('--port', given.port, 65_535),
    archive: given.archive,
    keep: given.keep,
    verbose: given.verbose,
    startedByNpm: environment.npm_lifecycle_event !== undefined,
  };
}

function readArguments(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        data: { type: 'string' },
        speed: { type: 'string' },
        from: { type: 'string' },
        to: { type: 'string' },
        watchlists: { type: 'string' },
        seed: { type: 'string' },
        json: { type: 'boolean', default: false },
        for: { type: 'string' },
        'exit-at-end': { type: 'boolean', default: false },
        port: { type: 'string' },
        archive: { type: 'boolean', default: false },
        keep: { type: 'string' },
        verbose: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new UsageError(message, { cause: error });
  }
}

function chooseMarket(
  { data, seed }: { readonly data?: string | undefined; readonly seed?: string | undefined },
  { UPSTREAM_URL: url, UPSTREAM_KEY: key }: Readonly<Record<string, string | undefined>>,
): MarketChoice {
  if (data !== undefined) return { kind: 'replayed', folder: data };
  if (url && key) {
    if (!URL.canParse(url)) throw new UsageError(`UPSTREAM_URL is no address: ${url}`);
    return { kind: 'real', url, key };
  }
  if (url || key) throw new UsageError('UPSTREAM_URL and UPSTREAM_KEY go together; one is not set');
  return { kind: 'simulated', seed: seed === undefined ? 1 : readNumber('--seed', seed, 2 ** 31) };
}

function readSpeed(given: string | undefined, market: MarketChoice): number {
  if (given === undefined) return market.kind === 'real' ? 1 : 60;
  const speed = given === 'max' ? Number.POSITIVE_INFINITY : Number(given);
  if (!(speed >= 1)) throw new UsageError(`--speed must be a number from 1 or max, not ${given}`);
  if (market.kind === 'real' && speed !== 1) {
    throw new UsageError('the real service runs at --speed 1 only');
  }
  return speed;
}

function readTime(option: string, given: string): number {
  const time = Date.parse(given);
  if (Number.isNaN(time)) {
    throw new UsageError(`${option} must be a time such as 2021-08-03T12:00Z, not ${given}`);
  }
  return time;
}

function readDuration(option: string, given: string): number {
  const [, amount, unit = ''] = /^(\d+)([smh])$/.exec(given) ?? [];
  const milliseconds = { s: 1000, m: 60_000, h: 3_600_000 }[unit];
  if (amount === undefined || milliseconds === undefined) {
    throw new UsageError(`${option} must be a duration such as 60s, 5m or 1h, not ${given}`);
  }
  return Number(amount) * milliseconds;
}

function readNumber(option: string, given: string, most: number): number {
  const number = Number(given);
  if (!Number.isInteger(number) || number < 0 || number > most) {
    throw new UsageError(`${option} must be a whole number from 0 to ${most}, not ${given}`);
  }
  return number;
}
