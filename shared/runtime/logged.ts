import type { MiddlewareObj } from '@middy/core';
import type { Fields, Log } from './log.ts';

/**
 * Logs the end of each invocation with its duration, the fields of `more`, and an unhandled error
 * if there is one. An error that other middleware turned into a response is not logged.
 */
export function logged<Event, Result>(
  log: Log,
  more: (event: Event) => Fields = () => ({}),
): MiddlewareObj<Event, Result> {
  const begun = new WeakMap<object, number>();
  const fieldsOf = ({ event, context }: Ended<Event>) => {
    const start = begun.get(context);
    const milliseconds = start === undefined ? null : Math.round(performance.now() - start);
    return { requestId: context.awsRequestId, milliseconds, ...more(event) };
  };
  return {
    before: ({ context }) => {
      begun.set(context, performance.now());
    },
    after: (request) => log.info('invocation_finished', fieldsOf(request)),
    onError: (request) => {
      if (request.response) return log.info('invocation_finished', fieldsOf(request));
      log.error('invocation_failed', { ...fieldsOf(request), error: request.error });
    },
  };
}

type Ended<Event> = {
  readonly event: Event;
  readonly context: { readonly awsRequestId: string };
};
