import { candidateLines, valuesIn } from '#shared/domain/evaluation/candidate-lines.ts';
import type { ReportedPast } from '#shared/domain/evaluation/replay-watch.ts';
import { isNoDataWatch, type Watch } from '#shared/domain/evaluation/watch.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { type Decimal, formatDecimal, parseDecimal } from '#shared/domain/market/decimal.ts';
import { formatInstant } from '#shared/domain/market/instant.ts';
import { isClock } from '#shared/domain/metrics/metric.ts';
import { AlertRule, clausesIn } from '#shared/domain/rules/alert-rule.ts';
import { revise, type Watchlist } from '#shared/domain/watchlists/watchlist.ts';
import type { MemberBody } from '#shared/domain/watchlists/watchlist-body.ts';
import type { CallerTenant } from '#shared/http/caller.ts';
import type { ContractSuggestions, SuggestedLine, Suggestions } from './answers/preview.ts';
import type { ReadContractsPorts } from './ports.ts';
import {
  MOST_LOOKS,
  MOST_PAGES,
  readPast,
  recordedFor,
  replayAll,
  type Span,
  targetsOf,
  watchesOf,
  whyNotTested,
} from './preview-rule.ts';

/** Maximum messages that a suggested threshold would have sent. More messages are noise. */
const MOST_MESSAGES = 3;
const MOST_LINES = 3;

/**
 * Suggests thresholds of a rule that would have sent one to three messages in a past span. A
 * suggestion keeps the other members of the rule, and the distance of its recovery threshold.
 */
export async function suggestLines(
  ports: ReadContractsPorts,
  tenant: CallerTenant,
  { rule, contracts }: { readonly rule: AlertRule; readonly contracts: readonly MemberBody[] },
  span: Span,
  signal: AbortSignal,
): Promise<Suggestions> {
  const listOf = (one: AlertRule) => listWith(tenant, one, contracts);
  const list = listOf(rule);
  const asked = targetsOf(list);
  const { portsOf } = await recordedFor(ports, tenant, asked);
  const suggested: ContractSuggestions[] = [];
  for (const target of asked) {
    const { contract } = target;
    const watches = watchesOf(list, contract, span.from - 1);
    const most = Math.floor(MOST_PAGES / asked.length);
    const { past } = await readPast(portsOf, tenant, target, watches, span, most, signal);
    const notTested = whyNotTested(past) ?? whyNoLine(rule);
    const linesOf = () =>
      linesOn(
        { listOf, rule, watches, contract, past, span },
        Math.floor(MOST_LOOKS / asked.length),
      );
    suggested.push({ contract, notTested, lines: notTested === null ? linesOf() : [] });
  }
  return { from: formatInstant(span.from), to: formatInstant(span.to), contracts: suggested };
}

function listWith(tenant: CallerTenant, rule: AlertRule, contracts: readonly MemberBody[]) {
  const body = { name: 'preview', contracts: [...contracts], rules: [rule], channels: [] };
  return revise({ tenant, id: 'preview' }, undefined, body, []);
}

function whyNoLine({ metric, when }: AlertRule): string | null {
  const hasLine = (when === 'below' || when === 'above') && metric !== undefined;
  return hasLine && !isClock(metric)
    ? null
    : 'thresholds are suggested only for rules with one condition, "below" or "above", on a metric that is not in minutes';
}

type Asked = {
  /** Creates a list with one rule on the contracts. */
  readonly listOf: (rule: AlertRule) => Watchlist;
  readonly rule: AlertRule;
  /** The watches that the rule would have had. */
  readonly watches: readonly Watch[];
  readonly contract: ContractKey;
  readonly past: ReportedPast;
  readonly span: Span;
};

/**
 * Tries thresholds from the extreme value of the span inward until one sends too many messages.
 * Returns the last accepted thresholds, which are the nearest to the present value.
 */
function linesOn(
  { listOf, rule, watches, contract, past, span }: Asked,
  looks: number,
): SuggestedLine[] {
  const watch = watches.find((one) => !isNoDataWatch(one));
  if (watch === undefined || (rule.when !== 'below' && rule.when !== 'above')) return [];
  const [clause] = clausesIn(watch.ruleCondition);
  const found: SuggestedLine[] = [];
  let left = looks;
  for (const line of candidateLines(valuesIn(clause, past, span), rule.when)) {
    const moved = withLine(rule, line);
    if (moved === undefined) continue;
    const replay = replayAll(watchesOf(listOf(moved), contract, span.from - 1), past, span, left);
    left -= replay.evaluations;
    const { alerts } = replay;
    if (left <= 0 || alerts.length > MOST_MESSAGES) break;
    if (alerts.length > 0) found.unshift({ threshold: formatDecimal(line), alerts });
  }
  return found.slice(0, MOST_LINES);
}

/** The rule with another threshold; undefined if its other members do not allow it. */
function withLine(rule: AlertRule, line: Decimal): AlertRule | undefined {
  const { threshold, recover, ...rest } = rule;
  const distance = decimalOf(recover) - decimalOf(threshold);
  const moved = recover === undefined ? {} : { recover: formatDecimal(line + distance) };
  return AlertRule.safeParse({ ...rest, threshold: formatDecimal(line), ...moved }).data;
}

function decimalOf(text: string | undefined): Decimal {
  return parseDecimal(text ?? '0') ?? 0n;
}
