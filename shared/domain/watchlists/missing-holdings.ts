import { contractOf } from '#shared/domain/market/contract.ts';
import { familyOf, needsCost } from '#shared/domain/metrics/metric.ts';
import {
  type AlertRule,
  clausesOf,
  isOfHoldings,
  isOfList,
  isOn,
} from '#shared/domain/rules/alert-rule.ts';
import { metricsOf } from './count-watches.ts';
import type { MemberIssue } from './refused-members.ts';
import { tokensHeld } from './value-member.ts';
import type { WatchlistBody } from './watchlist-body.ts';

type Holdings = {
  readonly contracts: readonly Pick<
    WatchlistBody['contracts'][number],
    'contract' | 'amount' | 'cost'
  >[];
  readonly wallet?: unknown;
};

/** Issues of a rule that needs a cost or held tokens, if the list lacks them. */
export function missingHoldings(rule: AlertRule, list: Holdings): readonly MemberIssue[] {
  return isOfList(rule) ? missingTokens(rule, list) : missingCosts(rule, list);
}

function missingCosts(rule: AlertRule, { contracts }: Holdings): readonly MemberIssue[] {
  const isKnown = contracts.some(
    ({ contract, cost }) => cost !== undefined && isOn(rule.on, contract),
  );
  if (isKnown || !isOfHoldings(rule)) return [];
  return metricsOf(rule).flatMap(({ metric, path }) =>
    needsCost(metric) ? [{ path, message: NO_COST }] : [],
  );
}

const NO_COST =
  'expected a contract with a cost: add "cost": {"price": "12.5"} to a contract of the rule';

/** A list with a wallet does not need tokens yet: the wallet may hold some later, on any chain. */
function missingTokens(rule: AlertRule, { contracts, wallet }: Holdings): readonly MemberIssue[] {
  const held = tokensHeld({ members: contracts });
  if (held.length === 0 && wallet === undefined) {
    return metricsOf(rule).flatMap(({ metric, path }) =>
      familyOf(metric).subject === 'list' ? [{ path, message: NOTHING_HELD }] : [],
    );
  }
  const currencies = new Set(held.map(({ contract }) => contractOf(contract).chain.currency));
  if (currencies.size < 2) return [];
  const message = `expected "usd": the list holds tokens with floors in ${[...currencies].toSorted().join(' and ')}`;
  return clausesOf(rule).flatMap(({ unit }, index) =>
    unit === 'usd'
      ? []
      : [{ path: rule.all === undefined ? ['unit'] : ['all', index, 'unit'], message }],
  );
}

const NOTHING_HELD =
  'expected a list that holds at least one token: add "amount": 1 to the contracts that you hold';
