import { chartRoutes } from '#functions/draw-chart/routes.ts';
import { describeRoutes } from './operation.ts';

/** Documents the operation that draws the pictures in messages. */
export const chartOperations = describeRoutes(chartRoutes, {
  'GET /v1/charts/{chart}': {
    id: 'getChart',
    tag: 'Charts',
    summary: 'Read the chart of an alert',
    description:
      'A chart of the prices in the day before the alert, or in the week before the alert if the rule or its episode needs more than a day. Messages contain the URL of the chart. The URL works without a key for 30 days after the alert.',
    answers: {
      200: {
        description: 'The chart, 1600 by 840 pixels.',
        type: 'image/png',
        headers: {
          'Cache-Control': 'The time for which the chart may be cached.',
          'X-Content-Type-Options': 'Prevents browsers from guessing another content type.',
        },
      },
    },
    problems: ['not_found', 'gone'],
  },
});
