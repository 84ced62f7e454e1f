import type { IncomingMessage, ServerResponse } from 'node:http';
import { GatewayAnswer } from './gateway-answers.ts';

type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
};

/** The gateway's answers to `OPTIONS` requests, and to methods that the path does not support. */
export type OtherMethods = {
  readonly toOptions: Answer;
  readonly toOthers: Answer;
  /** A body of any other media type is rejected with 415. */
  readonly sentTypes: readonly string[];
};

/** Responds by method, and ignores the body except for its media type. */
export function sendOwnAnswer(
  response: ServerResponse,
  { toOptions, toOthers, sentTypes }: OtherMethods,
  { method, headers }: IncomingMessage,
): void {
  const [type = ''] = (headers['content-type'] ?? 'application/json').split(';');
  if (!sentTypes.includes(type.trim().toLowerCase())) {
    throw new GatewayAnswer('UNSUPPORTED_MEDIA_TYPE');
  }
  const answer = method === 'OPTIONS' ? toOptions : toOthers;
  response.statusCode = answer.status;
  response.setHeader('content-type', 'application/json');
  for (const [name, value] of Object.entries(answer.headers)) response.setHeader(name, value);
  response.end(answer.body);
}
