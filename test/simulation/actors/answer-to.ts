import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { channelRoutes, manageChannels } from '#functions/manage-channels/routes.ts';
import { keyRoutes, manageKeys } from '#functions/manage-keys/routes.ts';
import { manageWatchlists } from '#functions/manage-watchlists/routes.ts';
import { ProblemError } from '#shared/http/problem.ts';
import type { UserPorts } from './users.ts';

/** Answers a request as the handlers do: an unforeseen error fails the invocation. */
export async function answerTo(
  ports: UserPorts,
  event: APIGatewayProxyEvent,
): Promise<APIGatewayProxyResult> {
  const route = `${event.httpMethod} ${event.resource}`;
  try {
    if (route in keyRoutes) return await manageKeys(ports.apiKeys, event);
    return route in channelRoutes
      ? await manageChannels(ports, event)
      : await manageWatchlists(ports, event, new AbortController().signal);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return { statusCode: error.status, body: JSON.stringify(error) };
  }
}
