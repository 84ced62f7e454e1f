import { type Instant, SECOND } from '#shared/domain/market/instant.ts';
import type { PassSummary } from './poll-prices.ts';

type Gauge =
  | 'BrokenItems'
  | 'BudgetUsed'
  | 'Cadence'
  | 'ContractsSilent'
  | 'ContractsWatched'
  | 'FreshestDataAge'
  | 'Ticks'
  | 'UpstreamDenied'
  | 'UpstreamKeyLeft';

/**
 * The metrics of a pass. A metric is billed by the hour, so most of them are measured only if
 * contracts are watched, or while there is a problem.
 */
export function collectGauges(
  summary: PassSummary,
  stage: { readonly keyEndsAt?: Instant | undefined; readonly cadenceMinutes: number },
): readonly (readonly [Gauge, number])[] {
  const { at, cadenceMinutes, deniedSince, unreadable } = summary;
  const { watched, silent, freshest } = summary.dataAge;
  const { inDay, inMonth } = summary.budgetUsed;
  const age = (since: Instant | undefined) => since && Math.max(0, at - since) / SECOND;
  const gauges: Readonly<Record<Gauge, number | undefined>> = {
    Ticks: 1,
    ContractsWatched: watched || undefined,
    BudgetUsed: watched > 0 ? Math.max(inDay, inMonth) : undefined,
    FreshestDataAge: age(freshest),
    ContractsSilent: silent > 0 ? (100 * silent) / watched : undefined,
    Cadence: cadenceMinutes > stage.cadenceMinutes ? cadenceMinutes : undefined,
    UpstreamDenied: deniedSince && 1,
    UpstreamKeyLeft: stage.keyEndsAt && (stage.keyEndsAt - at) / SECOND,
    BrokenItems: unreadable.length || undefined,
  };
  return Object.entries(gauges).flatMap(([metric, value]) =>
    value === undefined ? [] : [[metric as Gauge, value] as const],
  );
}
