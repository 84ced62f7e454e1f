import type { HttpResponse } from '#shared/clients/http-client.ts';
import { type ContractKey, contractKey } from '#shared/domain/market/contract.ts';
import { formatDecimal } from '#shared/domain/market/decimal.ts';
import { type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import type { Refusal } from '#shared/domain/market/upstream.ts';
import type { UpstreamLimits } from '#shared/domain/polling/upstream-limits.ts';
import type { ProviderSettings } from '#shared/providers/call-provider.ts';
import { createCoinGecko } from '#shared/providers/coingecko/coingecko.ts';
import type { Upstream } from '#shared/use-cases/upstream.ts';
import { evenCosts } from '#test/support/even-costs.ts';
import { drawFaults, type FaultRates, type Faults } from './faults.ts';
import { type Market, RATE, refusalOf } from './market.ts';
import { percentAt, type Spell, shareOf } from './spells.ts';
import type { Stream } from './streams.ts';

/** A second provider, with data of another origin. */
export type SecondProviderPlan = { readonly limits: UpstreamLimits; readonly faults: FaultRates };

/** Draws a second provider for a third of the seeds. */
export function drawSecondProvider(stream: Stream): SecondProviderPlan | undefined {
  if (!stream.happens(1 / 3)) return undefined;
  const faults = drawFaults(stream);
  const limits = {
    provider: 'coingecko' as const,
    callsPerSecond: stream.pick([1, 5, 50]),
    // The smallest budgets are used up within the hour.
    budgetPerDay: stream.pick([10_000, 10_000, 10_000, 40, 15]),
    budgetPerMonth: 300_000,
    costs: evenCosts(1),
    shares: { polling: 60, interface: 20 },
  };
  return { limits, faults };
}

/** The answer of the second provider: a price or a refusal. */
export type SecondAnswer =
  | { readonly kind: 'ok'; readonly price: bigint; readonly currency: string }
  | Refusal;

export type SecondProvider = Pick<SecondProviderPlan, 'limits'> & {
  readonly answer: (contract: ContractKey, now: Instant) => SecondAnswer;
};

type SecondWorld = {
  readonly market: Pick<Market, 'floorAt'>;
  readonly spells: readonly Spell[];
  readonly faults: Faults;
  readonly stream: Stream;
};

/** Returns only the current floor of the market, or sometimes one that is minutes old. */
export function createSecondProvider(
  { limits }: SecondProviderPlan,
  { market, spells, faults, stream }: SecondWorld,
): SecondProvider {
  return {
    limits,
    answer: (contract, now) => {
      const refusal = refusalOf(faults, stream);
      if (refusal !== undefined) return refusal;
      const isLate = faults.strikes('upstreamStale');
      const floor = market.floorAt(contract, isLate ? now - stream.between(5, 45) * MINUTE : now);
      if (floor === undefined) return { kind: 'not_found' };
      const { price } = shareOf(floor, percentAt(spells, 'second', now));
      return { kind: 'ok', price, currency: floor.currency };
    },
  };
}

/** The real client of the second provider, connected to the simulated one. */
export function secondUpstream(
  settings: Omit<ProviderSettings, 'http' | 'baseUrl'>,
  ask: (contract: ContractKey) => Promise<SecondAnswer>,
): Upstream {
  return {
    floorHistory: async (contract, query, signal) => {
      const request = async () => responseOf(await ask(contractKey(contract)));
      const http = { request };
      const client = createCoinGecko({ ...settings, http, baseUrl: 'https://second.example' });
      return await client.floorHistory(contract, query, signal);
    },
  };
}

function responseOf(answer: SecondAnswer): HttpResponse {
  const response = (status: number, body = '{}', headers = {}) => ({ status, headers, body });
  switch (answer.kind) {
    case 'ok': {
      const { price, currency } = answer;
      const usd = formatDecimal(price * BigInt(RATE));
      return response(
        200,
        `{"native_currency_symbol":"${currency}","floor_price":{"native_currency":${formatDecimal(price)},"usd":${usd}}}`,
      );
    }
    case 'denied':
      return answer.reason === 'plan'
        ? response(403, '{"status":{"error_code":10005}}')
        : response(401);
    case 'throttled': {
      const { retryAfterSeconds: seconds } = answer;
      return response(429, '{}', seconds === undefined ? {} : { 'retry-after': `${seconds}` });
    }
    case 'not_found':
      return response(404);
    case 'empty':
    case 'not_ready':
    case 'unsupported':
    case 'failed':
      return response(503);
  }
}
