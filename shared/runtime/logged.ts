import type { MiddlewareObj } from '@middy/core';
import type { Log } from './log.ts';

/** Logs the end of each invocation: how long it took, and the error it let out, if any. */
export function logged<Event, Result>(log: Log): MiddlewareObj<Event, Result> {
  const begun = new WeakMap<object, number>();
  const fieldsOf = ({ context }: { readonly context: { readonly awsRequestId: string } }) => {
    const start = begun.get(context);
    const milliseconds = start === undefined ? null : Math.round(performance.now() - start);
    return { requestId: context.awsRequestId, milliseconds };
  };
  return {
    before: ({ context }) => {
      begun.set(context, performance.now());
    },
    after: (request) => log.info('invocation_finished', fieldsOf(request)),
    onError: (request) => {
      log.error('invocation_failed', { ...fieldsOf(request), error: request.error });
    },
  };
}
