import { priceSeries } from '#shared/domain/market/price-series.ts';
import { type Provider, withProviderNames } from '#shared/domain/market/provider.ts';
import { seriesOfMetric } from '#shared/domain/metrics/metric.ts';
import { isReportedBy } from '#shared/domain/polling/due-work.ts';
import type { AlertRule } from '#shared/domain/rules/alert-rule.ts';
import { metricsOf } from './count-watches.ts';

/**
 * The metrics of a rule that need a series that the provider does not report, each with its path in
 * the rule.
 */
export function unreportedMetrics(
  rule: Pick<AlertRule, 'metric' | 'all'>,
  provider: Provider,
): readonly { readonly path: readonly (string | number)[]; readonly message: string }[] {
  return metricsOf(rule).flatMap(({ metric, path }) => {
    const lacking = seriesOfMetric(metric).find((series) => !isReportedBy(provider, series));
    if (lacking === undefined) return [];
    const { price } = priceSeries(lacking).words;
    const found = withProviderNames(`${provider} reports no ${price}`);
    return { path, message: `expected a metric that the data provider reports; ${found}` };
  });
}
