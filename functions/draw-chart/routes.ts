import type { APIGatewayProxyResult } from 'aws-lambda';
import { withPrices } from '#shared/domain/charts/alert-chart.ts';
import { openChartToken } from '#shared/domain/charts/chart-token.ts';
import { drawPriceChart } from '#shared/domain/charts/price-chart.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { DAY, type Instant, SECOND } from '#shared/domain/market/instant.ts';
import type { PricePoint } from '#shared/domain/market/point.ts';
import type { Part } from '#shared/domain/market/price-series.ts';
import { binaryAnswer } from '#shared/http/answer.ts';
import { ProblemError } from '#shared/http/problem.ts';
import { type HttpEvent, pathOf } from '#shared/http/request.ts';
import { publicRoute, type Route, type Routes, routeOf } from '#shared/http/route.ts';

export type DrawChartPorts = {
  readonly now: () => Instant;
  /** The key that addresses of charts are signed with. */
  readonly readKey: () => Promise<string>;
  /** Recorded prices between two moments, oldest first, with what held at the first. */
  readonly recordedBetween: (
    contract: ContractKey,
    part: Part,
    from: Instant,
    to: Instant,
  ) => Promise<readonly PricePoint[]>;
  /** Makes a PNG of an SVG. */
  readonly render: (svg: string) => Promise<Buffer>;
};

/** The operations by method and path. No key is needed: the address is the right. */
export const chartRoutes = {
  'GET /v1/charts/{chart}': publicRoute(getChart),
} satisfies Routes<DrawChartPorts, undefined>;

/** Answers a request by its route. */
export async function drawChart(
  ports: DrawChartPorts,
  event: HttpEvent,
): Promise<APIGatewayProxyResult> {
  return await routeOf<Route<DrawChartPorts, undefined>>(chartRoutes, event).check(event)(
    ports,
    undefined,
  );
}

/** The chart of an alert. Nothing is read for an address that this stack has not signed. */
async function getChart(ports: DrawChartPorts, event: HttpEvent): Promise<APIGatewayProxyResult> {
  const token = (pathOf(event).chart ?? '').replace(/\.png$/, '');
  const opened = openChartToken(await ports.readKey(), token, ports.now());
  if (opened.kind === 'forged') {
    throw new ProblemError('there is no such chart', { type: 'not_found' });
  }
  if (opened.kind === 'ended') {
    throw new ProblemError('the address of a chart works for 30 days', { type: 'gone' });
  }
  const { content: chart, endsAt } = opened;
  const { contract, part, from, moment } = chart;
  const prices = await ports.recordedBetween(contract, part, from, moment);
  const picture = await ports.render(drawPriceChart(withPrices(chart, prices)));
  // Prices of the past hardly change: only a provider may still report some.
  const seconds = Math.floor(Math.min(DAY, endsAt - ports.now()) / SECOND);
  return binaryAnswer(200, picture, {
    'Content-Type': 'image/png',
    'Cache-Control': `public, max-age=${seconds}`,
    'X-Content-Type-Options': 'nosniff',
  });
}
