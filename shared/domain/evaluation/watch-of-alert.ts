import { type Alert, alertId, watchOf } from '#shared/domain/alerting/alert.ts';
import { ContractKey } from '#shared/domain/market/contract.ts';
import { type WatchId, watchNamesOf } from './watch.ts';

/** The watch that sent an alert; undefined for an alert without a watch. */
export function watchIdOf(alert: Alert): WatchId | undefined {
  const { tenant, watchlist: list, rule, contract } = alert;
  if (rule === null || contract === null) return undefined;
  const about = { tenant, list, contract: ContractKey.parse(contract) };
  // Alerts of a no-data watch name the rule, but their ids begin with a hash of the watch.
  const name = watchNamesOf(rule).find(
    (one) => watchOf({ id: alertId({ ...about, rule: one }, 0, 0) }) === watchOf(alert),
  );
  return name === undefined ? undefined : { ...about, rule: name };
}
