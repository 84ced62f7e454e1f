import type { Forecast } from '#shared/domain/evaluation/forecast.ts';
import { isMet } from '#shared/domain/evaluation/measured-clause.ts';
import { formatDecimal } from '#shared/domain/market/decimal.ts';
import { momentOf } from '#shared/domain/market/instant.ts';
import { unitShown } from '#shared/domain/metrics/metric.ts';
import { conditionText } from '#shared/domain/rules/clause.ts';
import type { ForecastRead, Reading } from './answer-shapes.ts';

export function forecastView({ code, text, at, readings }: Forecast): ForecastRead {
  return {
    code,
    text,
    at: momentOf(at),
    conditions: readings.map((reading): Reading => {
      const { metric, unit, condition, measured } = reading;
      return {
        metric,
        condition: conditionText(condition, metric, unit),
        unit: unitShown(metric, unit),
        value: measured.kind === 'value' ? formatDecimal(measured.value) : null,
        beyond: isMet(reading) ?? null,
      };
    }),
  };
}
