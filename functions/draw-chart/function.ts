import { httpFunction } from '#shared/http/http-function.ts';
import { composeDrawChart, type DrawChartOutside } from './compose.ts';
import { drawChart } from './routes.ts';

export function drawChartFunction(outside: DrawChartOutside) {
  const { ports, environment } = composeDrawChart(outside);

  return httpFunction(
    {
      earlyAbortMs: outside.earlyAbortMs,
      log: outside.logOf('draw-chart'),
      corsOrigins: environment.CORS_ORIGINS,
    },
    (event) => drawChart(ports, event),
  );
}
