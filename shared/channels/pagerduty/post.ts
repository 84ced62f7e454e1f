import * as z from 'zod';
import type { Chat } from '#shared/channels/post-to-chat.ts';
import { JsonText } from '#shared/domain/json-text.ts';
import { MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import { isRoutingKey, type PagerDutyBody } from './kind.ts';
import { pagerdutyEvent } from './message.ts';

/**
 * PagerDuty's Events API v2. It processes events asynchronously: 202 means that the event is valid,
 * not that anybody was paged.
 */
export const pagerdutyChat: Chat<Pick<PagerDutyBody, 'routingKey'>> = {
  requestOf: ({ routingKey }, notification) =>
    isRoutingKey(routingKey)
      ? {
          url: 'https://events.pagerduty.com/v2/enqueue',
          message: { routing_key: routingKey, ...pagerdutyEvent(notification) },
        }
      : undefined,
  problemIn: ({ status, body }) => {
    const member = Problem.safeParse(body).data?.errors[0];
    const isKeyUnknown = /^invalid routing key\.?$/i.test(body.trim());
    return {
      code: isKeyUnknown ? 'Invalid routing key' : member,
      seconds: status === 429 ? BACKOFF : undefined,
      isGone: status === 400 && (isKeyUnknown || member === 'routing_key'),
    };
  },
};

/**
 * The pause after a 429. PagerDuty recommends "a few minutes" ("Events API v2 Overview"), because
 * its rate limit adapts to the traffic.
 */
const BACKOFF = (2 * MINUTE) / SECOND;

/** The members that PagerDuty rejects. */
const Problem = JsonText.pipe(
  z.object({
    errors: z.array(z.string().transform((error) => /'([a-z_.]{1,40})'/.exec(error)?.[1])),
  }),
);
