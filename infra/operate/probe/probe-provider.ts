import type { ConfiguredProvider } from '#infra/command-line/configured-providers.ts';
import type { HttpClient } from '#shared/clients/http-client.ts';
import type { Contract } from '#shared/domain/market/contract.ts';
import { DAY, HOUR, type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import type { Provider } from '#shared/domain/market/provider.ts';
import type {
  BestOffer,
  FloorPage,
  FloorQuery,
  LowestTrade,
  Outcome,
} from '#shared/domain/market/upstream.ts';
import { refusalInWords } from '#shared/domain/polling/series-health.ts';
import { createAlchemy } from '#shared/providers/alchemy/alchemy.ts';
import type { ProviderSettings } from '#shared/providers/call-provider.ts';
import { createCoinGecko } from '#shared/providers/coingecko/coingecko.ts';
import { createEthereumNode } from '#shared/providers/ethereum-node/ethereum-node.ts';
import { createNftData } from '#shared/providers/nft-data/nft-data.ts';
import { createOpenSea } from '#shared/providers/opensea/opensea.ts';
import type { SalesRead } from '#shared/use-cases/upstream.ts';
import { compareExchange } from './compare-exchange.ts';
import { compareNode } from './compare-node.ts';
import { type Compare, compareAnswer, type Finding } from './finding.ts';
import { type Exchange, recordExchanges } from './record-exchanges.ts';

/** The findings about one service, with their exchanges. */
export type Probed = {
  readonly subject: string;
  readonly findings: readonly Finding[];
  readonly exchanges: readonly Exchange[];
};

type ProbeWorld = { readonly http: HttpClient; readonly now: () => Instant };

/** Calls each operation of a provider once, through the same client as the polls. */
export async function probeProvider(
  { provider, url, key }: ConfiguredProvider,
  contract: Contract,
  { http, now }: ProbeWorld,
  signal: AbortSignal,
): Promise<Probed> {
  const recorder = recordExchanges(http, now);
  const settings = { http: recorder.http, baseUrl: url, apiKey: async () => key, now };
  const findings: Finding[] = [];
  const exchanges: Exchange[] = [];
  for (const operation of OPERATIONS[provider](settings, contract)) {
    const outcome = await operation.ask(signal);
    const made = recorder.take();
    exchanges.push(...made);
    findings.push(...made.flatMap((exchange) => compareExchange(provider, exchange)));
    const compare = compareAnswer(provider, operation.name);
    findings.push(...compareResult(compare, outcome, contract, now()));
  }
  if (provider === 'ethereum-node') findings.push(...compareNode(exchanges));
  return { subject: provider, findings: withoutRepeats(findings), exchanges };
}

type Operation = {
  readonly name: string;
  readonly ask: (signal: AbortSignal) => Promise<Answered>;
};

type Answered = Outcome<FloorPage> | Outcome<LowestTrade> | Outcome<SalesRead> | Outcome<BestOffer>;

function pollAt(askedAt: Instant): FloorQuery {
  return { interval: '1d', poll: { askedAt, newest: undefined, reachesBack: true } };
}

const OPERATIONS: Readonly<
  Record<Provider, (settings: ProviderSettings, contract: Contract) => readonly Operation[]>
> = {
  'nft-data': (settings, contract) => {
    const client = createNftData(settings);
    const lowest = (way: 'lowestprice' | 'price') => (signal: AbortSignal) =>
      client.lowestTrade(contract, 7, way, signal);
    return [
      {
        name: 'floor',
        ask: (signal) => client.floorHistory(contract, pollAt(settings.now()), signal),
      },
      { name: 'lowest sale (/lowestprice)', ask: lowest('lowestprice') },
      { name: 'lowest sale (/price)', ask: lowest('price') },
    ];
  },
  opensea: (settings, contract) => {
    const client = createOpenSea(settings);
    return [
      {
        name: 'floor',
        ask: (signal) => client.floorHistory(contract, pollAt(settings.now()), signal),
      },
      {
        name: 'sales of one day',
        ask: (signal) => client.salesBetween(contract, dayBefore(settings), signal),
      },
      { name: 'best offer', ask: (signal) => client.bestOffer(contract, signal) },
    ];
  },
  coingecko: (settings, contract) => [
    {
      name: 'floor',
      ask: (signal) =>
        createCoinGecko(settings).floorHistory(contract, pollAt(settings.now()), signal),
    },
  ],
  alchemy: (settings, contract) => [
    {
      name: 'floor',
      ask: (signal) =>
        createAlchemy(settings).floorHistory(contract, pollAt(settings.now()), signal),
    },
  ],
  'ethereum-node': (settings, contract) => [
    {
      name: 'sales of one day',
      ask: (signal) =>
        createEthereumNode(settings).salesBetween(contract, dayBefore(settings), signal),
    },
  ],
};

const dayBefore = ({ now }: ProviderSettings) => ({ from: now() - DAY });

/** Checks the result that a client derives from the answers. */
function compareResult(
  compare: Compare,
  outcome: Answered,
  { chain }: Contract,
  now: Instant,
): readonly Finding[] {
  if (outcome.kind !== 'ok') {
    const { reason } = refusalInWords(
      outcome.kind,
      'reason' in outcome ? outcome.reason : undefined,
    );
    // A service of v2.2 may support only one of `lowestprice` and `price`.
    const isRetired = outcome.kind === 'unsupported' && outcome.reason === 'retired';
    return [compare('result', isRetired, 'a price', reason)];
  }
  const { value } = outcome;
  if ('sales' in value) {
    const count = value.sales.length;
    return [compare('result', count > 0, 'sales', count > 0 ? 'sales' : 'no sale in ETH')];
  }
  const ok = compare('result', true, 'a price', 'a price');
  if (!('points' in value)) return [ok];
  const others = new Set(value.points.map(({ currency }) => currency));
  others.delete(chain.currency);
  const [newest] = value.points;
  const minutes = Math.round((now - (newest?.time ?? 0)) / MINUTE);
  return [
    ok,
    compare(
      'currency',
      others.size === 0,
      chain.currency,
      [...others].join(', ') || chain.currency,
    ),
    compare('age', minutes <= (2 * HOUR) / MINUTE, 'at most 120 min', `${minutes} min`),
  ];
}

/** Several pages of one kind give the same findings, which are merged. */
function withoutRepeats(findings: readonly Finding[]): readonly Finding[] {
  const known = new Map(
    findings.map((finding) => {
      const { answer, check, agrees, expected, found } = finding;
      const what = agrees ? [answer, check] : [answer, check, expected, found];
      return [JSON.stringify([agrees, ...what]), finding];
    }),
  );
  return [...known.values()];
}
