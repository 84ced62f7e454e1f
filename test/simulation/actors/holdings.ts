import type * as z from 'zod';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { Metric, needsCost } from '#shared/domain/metrics/metric.ts';
import type { WatchlistBody } from '#shared/domain/watchlists/watchlist-body.ts';
import { RATE, USUAL_FLOOR } from '#test/simulation/services/market.ts';
import type { Stream } from '#test/simulation/services/streams.ts';

type Body = z.input<typeof WatchlistBody>;
type RuleBody = NonNullable<Body['rules']>[number];
type Held = { readonly amount?: number; readonly cost?: { price: string; unit?: string } };

/** The holdings of a person in the contracts of a list. The holdings change between edits. */
export function createHoldings(contracts: readonly ContractKey[], stream: Stream) {
  const held = new Map(contracts.map((contract) => [contract, newHolding(stream)] as const));

  return {
    change: (): void => {
      if (stream.happens(0.3)) held.set(stream.pick(contracts), newHolding(stream));
    },

    /**
     * Adds amounts and costs to the contracts of a list. Drops gain rules that apply to no contract
     * with a cost.
     */
    added: (body: Body): Body => {
      const members = (body.contracts ?? []).map((contract) =>
        typeof contract === 'string'
          ? { contract, ...held.get(contract as ContractKey) }
          : contract,
      );
      const isPriced = ({ on = '*' }: RuleBody) =>
        members.some(
          ({ contract, cost }) =>
            cost !== undefined && (on === '*' || on === contract || on.includes(contract)),
        );
      const rules = body.rules?.filter((rule) => !isOfGain(rule) || isPriced(rule)) ?? [];
      return { ...body, contracts: members, rules };
    },
  };
}

/**
 * Draws a cost near the usual floor. Costs are in tenths, like floors, so that a gain can equal its
 * threshold exactly.
 */
function newHolding(stream: Stream): Held {
  const tenths = Math.round(USUAL_FLOOR * 10 * (stream.between(85, 115) / 100));
  const isInUsd = stream.happens(0.1);
  const price = isInUsd ? String(Math.round((tenths / 10) * RATE)) : (tenths / 10).toFixed(1);
  return {
    ...(stream.happens(0.5) ? { amount: stream.between(1, 4) } : {}),
    ...(stream.happens(0.75) ? { cost: { price, ...(isInUsd ? { unit: 'usd' } : {}) } } : {}),
  };
}

function isOfGain({ metric, all = [] }: RuleBody): boolean {
  return [metric, ...all.map((clause) => clause.metric)].some(
    (name) => name !== undefined && needsCost(Metric.parse(name)),
  );
}
