import { chartRoutes } from '#functions/draw-chart/routes.ts';
import { describeRoutes } from './operation.ts';

/** The pictures in messages. */
export const chartOperations = describeRoutes(chartRoutes, {
  'GET /v1/charts/{chart}': {
    id: 'getChart',
    tag: 'Charts',
    summary: 'Read the chart of an alert',
    description:
      'A picture of the prices before the alert: a day, or a week where the rule or its episode goes back further. Messages have its address, which works for 30 days after the alert, for whoever has it.',
    answers: {
      200: {
        description: 'The chart, 1600 by 840 pixels.',
        type: 'image/png',
        headers: {
          'Cache-Control': 'How long it may be cached.',
          'X-Content-Type-Options': 'The type is as declared.',
        },
      },
    },
    problems: ['not_found', 'gone'],
  },
});
