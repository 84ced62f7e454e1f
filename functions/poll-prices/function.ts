import middy from '@middy/core';
import { logged } from '#shared/runtime/logged.ts';
import { withTrace } from '#shared/runtime/trace.ts';
import { composePollPrices, type PollPricesOutside } from './compose.ts';
import { collectGauges } from './gauges.ts';
import { type PassSummary, pollPrices } from './poll-prices.ts';

export function pollPricesFunction(outside: PollPricesOutside) {
  const { ports, log, metrics, environment } = composePollPrices(outside);

  return middy<unknown, PassSummary>({ timeoutEarlyInMillis: outside.earlyAbortMs })
    .use(logged(log, metrics.flush))
    .handler((_event, context, { signal }) =>
      withTrace(context.awsRequestId, async () => {
        const remainingTime = () => context.getRemainingTimeInMillis();
        const summary = await pollPrices({ ...ports, remainingTime }, signal);
        log[summary.unreadable.length === 0 ? 'info' : 'error']('prices_polled', summary);
        const { UPSTREAM_KEY_ENDS_AT: keyEndsAt, POLL_CADENCE_MINUTES: cadenceMinutes } =
          environment;
        for (const [metric, value] of collectGauges(summary, { keyEndsAt, cadenceMinutes })) {
          metrics.measure(metric, value);
        }
        return summary;
      }),
    );
}
