import { randomUUID } from 'node:crypto';
import type { Context } from 'aws-lambda';
import { actOnAlertFunction } from '#functions/act-on-alert/function.ts';
import { authorizeRequestFunction } from '#functions/authorize-request/function.ts';
import { deliverMessagesFunction } from '#functions/deliver-messages/function.ts';
import { drawChartFunction } from '#functions/draw-chart/function.ts';
import { manageChannelsFunction } from '#functions/manage-channels/function.ts';
import { manageKeysFunction } from '#functions/manage-keys/function.ts';
import { pollPricesFunction } from '#functions/poll-prices/function.ts';
import { recordBouncesFunction } from '#functions/record-bounces/function.ts';
import { runContractsFunction } from '#functions/run-contracts/function.ts';
import { runJobsFunction } from '#functions/run-jobs/function.ts';
import { serveApiFunction } from '#functions/serve-api/function.ts';
import { serveNftDataFunction } from '#functions/serve-nft-data/function.ts';
import { servePagesFunction } from '#functions/serve-pages/function.ts';
import { wakeWorkFunction } from '#functions/wake-work/function.ts';
import { type Instant, SECOND } from '#shared/domain/market/instant.ts';
import type { Outside } from '#shared/outside/outside.ts';

/** The timeouts of the functions in seconds, as in the stack. */
export const TIMEOUTS = {
  'act-on-alert': 10,
  'authorize-request': 10,
  'deliver-messages': 30,
  'draw-chart': 10,
  'manage-channels': 25,
  'manage-keys': 25,
  'record-bounces': 10,
  'run-jobs': 30,
  'poll-prices': 58,
  'run-contracts': 30,
  'serve-api': 25,
  'serve-nft-data': 25,
  'serve-pages': 5,
  'wake-work': 58,
} as const;

export type FunctionName = keyof typeof TIMEOUTS;

/** The functions that the schedule invokes each minute. */
export const SCHEDULED = ['wake-work', 'poll-prices'] as const satisfies readonly FunctionName[];

/** Sends an event to a function, and returns its result. */
export type Invoke = (event: unknown) => Promise<unknown>;

/** All functions of the stack, in this process. */
export type WorldFunctions = Readonly<Record<FunctionName, Invoke>>;

type Invocations = {
  /** Wraps an invocation. */
  readonly during?: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /**
   * Starts an invocation. Returns a function that returns the milliseconds left until the timeout.
   */
  readonly begin?: (name: FunctionName, now: () => Instant) => () => number;
};

/** Creates each function when it receives its first event. `outsideOf` returns its ports. */
export function createFunctions(
  outsideOf: (name: FunctionName) => Outside,
  { during = (work) => work(), begin = untilTimeout }: Invocations = {},
): WorldFunctions {
  const invoking = <Event>(
    name: FunctionName,
    build: (outside: Outside) => (event: Event, context: Context) => Promise<unknown>,
  ): Invoke => {
    let built:
      | { readonly handler: ReturnType<typeof build>; readonly outside: Outside }
      | undefined;
    return (event) =>
      during(async () => {
        if (built === undefined) {
          const outside = outsideOf(name);
          built = { outside, handler: build(outside) };
        }
        // As in Lambda, a function receives its event as parsed JSON.
        const received = JSON.parse(JSON.stringify(event));
        return await built.handler(received, contextOf(name, begin(name, built.outside.now)));
      });
  };
  return {
    'act-on-alert': invoking('act-on-alert', actOnAlertFunction),
    'authorize-request': invoking('authorize-request', authorizeRequestFunction),
    'deliver-messages': invoking('deliver-messages', deliverMessagesFunction),
    'draw-chart': invoking('draw-chart', drawChartFunction),
    'manage-channels': invoking('manage-channels', manageChannelsFunction),
    'manage-keys': invoking('manage-keys', manageKeysFunction),
    'serve-api': invoking('serve-api', serveApiFunction),
    'record-bounces': invoking('record-bounces', recordBouncesFunction),
    'run-jobs': invoking('run-jobs', runJobsFunction),
    'poll-prices': invoking('poll-prices', pollPricesFunction),
    'run-contracts': invoking('run-contracts', runContractsFunction),
    'serve-nft-data': invoking('serve-nft-data', serveNftDataFunction),
    'serve-pages': invoking('serve-pages', servePagesFunction),
    'wake-work': invoking('wake-work', wakeWorkFunction),
  };
}

/** The remaining time by the clock of the stack. */
function untilTimeout(name: FunctionName, now: () => Instant): () => number {
  const end = now() + TIMEOUTS[name] * SECOND;
  return () => end - now();
}

function contextOf(name: FunctionName, remainingTime: () => number): Context {
  const awsRequestId = randomUUID();
  return {
    ...{ awsRequestId, functionName: name, functionVersion: '$LATEST' },
    ...{ invokedFunctionArn: name, memoryLimitInMB: '512', callbackWaitsForEmptyEventLoop: true },
    ...{ logGroupName: `/aws/lambda/${name}`, logStreamName: 'local' },
    getRemainingTimeInMillis: remainingTime,
    ...{ done: () => {}, fail: () => {}, succeed: () => {} },
  };
}
