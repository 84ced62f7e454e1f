import * as z from 'zod';
import { isEdited } from '#shared/channels/channel-kind.ts';
import type { Chat } from '#shared/channels/post-to-chat.ts';
import { slackMessage } from '#shared/channels/slack/message.ts';
import type { Notification } from '#shared/domain/alerting/notification.ts';
import { JsonText } from '#shared/domain/json-text.ts';
import { isSlackToken, type SlackBotBody } from './kind.ts';

type Address = Pick<SlackBotBody, 'token' | 'channel' | 'updates'>;

/** Slack's Web API, which reports errors in the body of a 200. */
export const slackBotChat: Chat<Address> = {
  requestOf: (address, notification) => callOf(address, 'chat.postMessage', notification),
  isRefusal: ({ body }) => !Answer.safeParse(body).data?.ok,
  problemIn: ({ body }) => {
    const code = Answer.safeParse(body).data?.error;
    const isOneOf = (codes: readonly string[]) => code !== undefined && codes.includes(code);
    // A response without a code comes from an intermediary and not from Slack, so the request is
    // retried.
    const isPassing = code === undefined || isOneOf(PASSING);
    return { code, seconds: undefined, isGone: isOneOf(GONE), isPassing };
  },
  editing: {
    isWanted: isEdited,
    messageIn: ({ body }) => Answer.safeParse(body).data?.ts,
    editOf: (address, notification, ts) => callOf(address, 'chat.update', notification, { ts }),
  },
};

function callOf(
  { token, channel }: Address,
  method: 'chat.postMessage' | 'chat.update',
  notification: Notification,
  about: object = {},
) {
  if (!isSlackToken(token)) return undefined;
  return {
    url: `https://slack.com/api/${method}`,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json; charset=utf-8',
    },
    message: { channel, ...about, ...slackMessage(notification) },
  };
}

/** The token was revoked, the channel archived or deleted, or the bot is not in it. */
const GONE: readonly string[] = [
  ...['invalid_auth', 'not_authed', 'account_inactive', 'token_revoked', 'token_expired'],
  ...['org_login_required', 'team_access_not_granted', 'missing_scope', 'no_permission'],
  ...['channel_not_found', 'is_archived', 'not_in_channel', 'restricted_action'],
];

/** Temporary errors, from "Errors" of `chat.postMessage`. */
const PASSING: readonly string[] = [
  ...['ratelimited', 'rate_limited', 'internal_error', 'fatal_error', 'service_unavailable'],
  ...['request_timeout', 'accesslimited', 'team_added_to_org'],
];

/** Slack's response: the timestamp that identifies the message, or an error code. */
const Answer = JsonText.pipe(
  z.object({
    ok: z.boolean().catch(false),
    ts: z
      .string()
      .regex(/^\d{1,12}\.\d{1,8}$/)
      .optional()
      .catch(undefined),
    error: z
      .string()
      .regex(/^[a-z_]{1,40}$/)
      .optional()
      .catch(undefined),
  }),
);
