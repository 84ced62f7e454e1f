import type { APIGatewayProxyResult } from 'aws-lambda';
import { withPrices } from '#shared/domain/charts/alert-chart.ts';
import { openChartToken } from '#shared/domain/charts/chart-token.ts';
import { drawPriceChart } from '#shared/domain/charts/price-chart.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { DAY, type Instant, SECOND } from '#shared/domain/market/instant.ts';
import type { PricePoint } from '#shared/domain/market/point.ts';
import type { PriceSeriesName } from '#shared/domain/market/price-series.ts';
import { binaryAnswer } from '#shared/http/answer.ts';
import { ProblemError } from '#shared/http/problem.ts';
import { type HttpEvent, pathOf } from '#shared/http/request.ts';
import { publicRoute, type Route, type Routes, routeOf } from '#shared/http/route.ts';

export type DrawChartPorts = {
  readonly now: () => Instant;
  /** Reads the key that signs URLs of charts. */
  readonly readKey: () => Promise<string>;
  /**
   * Recorded prices between two instants, oldest first, preceded by the last price before the first
   * instant.
   */
  readonly recordedBetween: (
    contract: ContractKey,
    series: PriceSeriesName,
    from: Instant,
    to: Instant,
  ) => Promise<readonly PricePoint[]>;
  /** Renders an SVG as a PNG. */
  readonly render: (svg: string) => Promise<Buffer>;
};

/** The operations by method and path. Signed URLs need no API key. */
export const chartRoutes = {
  'GET /v1/charts/{chart}': publicRoute(getChart),
} satisfies Routes<DrawChartPorts, undefined>;

export async function drawChart(
  ports: DrawChartPorts,
  event: HttpEvent,
): Promise<APIGatewayProxyResult> {
  return await routeOf<Route<DrawChartPorts, undefined>>(chartRoutes, event).check(event)(
    ports,
    undefined,
  );
}

/** The chart of an alert. The URL is verified before anything is read. */
async function getChart(ports: DrawChartPorts, event: HttpEvent): Promise<APIGatewayProxyResult> {
  const token = (pathOf(event).chart ?? '').replace(/\.png$/, '');
  const opened = openChartToken(await ports.readKey(), token, ports.now());
  if (opened.kind === 'forged') {
    throw new ProblemError('there is no such chart', { type: 'not_found' });
  }
  if (opened.kind === 'ended') {
    throw new ProblemError('the chart has expired: links to charts are valid for 30 days', {
      type: 'gone',
    });
  }
  const { content: chart, endsAt } = opened;
  const { contract, series, from, moment } = chart;
  const prices = await ports.recordedBetween(contract, series, from, moment);
  const picture = await ports.render(drawPriceChart(withPrices(chart, prices)));
  // The picture may be cached, because past prices change only if a provider reports some of them
  // late.
  const seconds = Math.floor(Math.min(DAY, endsAt - ports.now()) / SECOND);
  return binaryAnswer(200, picture, {
    'Content-Type': 'image/png',
    'Cache-Control': `public, max-age=${seconds}`,
    'X-Content-Type-Options': 'nosniff',
  });
}
