import * as z from 'zod';
import { configuredProviders } from '#infra/command-line/configured-providers.ts';
import { createReader } from '#infra/command-line/create-reader.ts';
import { flag, option, text, wholeNumber } from '#infra/command-line/options.ts';
import { UsageError } from '#infra/command-line/usage-error.ts';
import { PROVIDER_LIMITS } from '#shared/domain/polling/provider-limits.ts';
import { type LiveChoice, RequestedWatch } from './live/requested-watch.ts';
import type { OtherProvider } from './market.ts';

export type Options = NonNullable<ReturnType<typeof readOptions>>;

export type MarketChoice =
  | { readonly kind: 'simulated'; readonly seed: number }
  | { readonly kind: 'replayed'; readonly folder: string }
  | {
      readonly kind: 'real';
      readonly url: string;
      readonly key: string;
      readonly others: readonly OtherProvider[];
    }
  | LiveChoice;

const Time = z
  .string()
  .transform((text) => Date.parse(text))
  .pipe(z.number('expected a time such as 2021-08-03T12:00Z'));
const Speed = z
  .string()
  .transform((text) => (text === 'max' ? Number.POSITIVE_INFINITY : Number(text)))
  .refine((speed) => speed >= 1, 'expected a number of at least 1, or max');
const Span = z
  .string()
  .regex(/^\d+[smh]$/, 'expected a duration such as 60s, 5m or 1h')
  .transform((text) => Number.parseInt(text, 10) * (MILLISECONDS[text.slice(-1)] ?? 0));
const MILLISECONDS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 };

const read = createReader({
  name: 'npm start --',
  description:
    'Runs the whole stack on this machine, by default against a simulated market. With UPSTREAM_URL and UPSTREAM_KEY set, prices come in real time from the service at UPSTREAM_URL, which must implement the NFT data interface v2.2. OPENSEA_API_KEY is your own key for --live, and OPENSEA_URL replaces the URL of OpenSea. Other providers are fallbacks if their keys are set (UPSTREAM_KEY, OPENSEA_API_KEY, COINGECKO_API_KEY, ALCHEMY_API_KEY, and ETHEREUM_NODE_URL for any Ethereum node). CoinGecko also confirms floors.',
  options: z.object({
    live: option(
      'collection...',
      'use real prices from OpenSea, without an account: give names, slugs, links or eth:0x…, each with an optional threshold, as in "azuki below 3"',
      z.array(RequestedWatch).optional(),
    ),
    data: option(
      'folder',
      'replay recorded data in the import format instead of the simulated market',
      text,
    ),
    from: option('time', 'the start of the virtual time, e.g. 2021-08-03', Time.optional()),
    to: option('time', 'the end of the virtual time, e.g. 2021-08-03T12:00Z', Time.optional()),
    speed: option(
      'factor',
      'the speed of virtual time relative to real time, or max to jump from each price or timer to the next (default: 60)',
      Speed.optional(),
    ),
    watchlists: option(
      'file',
      'a JSON file with a watchlist or an array of watchlists, which are created, or replaced if they exist',
      text,
    ),
    seed: option(
      'number',
      'the seed of the simulated market',
      wholeNumber(0, 2 ** 31).prefault('1'),
    ),
    tour: flag('show all features: every kind of metric, message and channel'),
    json: flag(
      'print only JSON lines, one per event (ready, collection, alert, notification, refused, end)',
    ),
    for: option('duration', 'stop after this time, e.g. 60s, 5m, 1h', Span.optional()),
    exitAtEnd: flag('stop at the end of the virtual time (needs --data or --to)'),
    port: option(
      'number',
      'the port of the HTTP API (default: any free port)',
      wholeNumber(0, 65_535).optional(),
    ),
    archive: flag('serve the v2.2 interface only from the archive (see npm run operate -- import)'),
    keep: option(
      'file',
      'store all data of the run in this file; the next start with this file continues the run',
      text,
    ),
    verbose: flag('show the logs of the functions'),
  }),
  exitCodes: '0 success, 1 failure or undelivered messages, 2 invalid input or settings',
});

/** Reads the command line and the environment; undefined after `--help`. */
export function readOptions(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
) {
  const given = read(args);
  if (given === undefined) return undefined;
  const { seed, data, live, for: stopAfter, port = 0, ...options } = given;
  const market = chooseMarket(given, environment);
  const { from, to } = options;
  if (from !== undefined && to !== undefined && to <= from) {
    throw new UsageError('--to must be later than --from');
  }
  const isReal = market.kind === 'real' || market.kind === 'live';
  if (isReal && (from !== undefined || to !== undefined)) {
    throw new UsageError('real prices come in real time: omit --from and --to');
  }
  if (options.tour && market.kind !== 'simulated') {
    throw new UsageError(
      '--tour needs the simulated market: omit --data and --live, and do not set UPSTREAM_URL',
    );
  }
  const speed = given.speed ?? (isReal ? 1 : 60);
  if (isReal && speed !== 1) {
    throw new UsageError('real prices come in real time: omit --speed, or set it to 1');
  }
  if (options.exitAtEnd && market.kind !== 'replayed' && to === undefined) {
    throw new UsageError('--exit-at-end needs --data or --to');
  }
  const startedByNpm = environment.npm_lifecycle_event !== undefined;
  return { ...options, market, speed, stopAfter, port, startedByNpm };
}

type Given = {
  readonly data?: string | undefined;
  readonly live?: readonly RequestedWatch[] | undefined;
  readonly seed: number;
};

function chooseMarket(
  { data, live, seed }: Given,
  environment: Readonly<Record<string, string | undefined>>,
): MarketChoice {
  if (data !== undefined && live !== undefined) {
    throw new UsageError('give either --data, for recorded prices, or --live, for current ones');
  }
  if (data !== undefined) return { kind: 'replayed', folder: data };
  if (live !== undefined) return liveMarket(live, environment);
  const [service, ...others] = configuredProviders(environment);
  if (service?.provider !== 'nft-data') return { kind: 'simulated', seed };
  return { kind: 'real', url: service.url, key: service.key, others };
}

function liveMarket(
  requests: readonly RequestedWatch[],
  environment: Readonly<Record<string, string | undefined>>,
): MarketChoice {
  const providers = configuredProviders(environment);
  const openSea = providers.find(({ provider }) => provider === 'opensea');
  const { OPENSEA_URL: url = PROVIDER_LIMITS.opensea.url } = environment;
  const others = providers.filter(({ provider }) => provider !== 'opensea');
  return { kind: 'live', requests, url, key: openSea?.key, others };
}
