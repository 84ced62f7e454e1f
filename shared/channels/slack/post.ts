import type { Chat } from '#shared/channels/post-to-chat.ts';
import type { ReadSecret } from '#shared/clients/secrets.ts';
import type { Notification } from '#shared/domain/alerting/notification.ts';
import type { ChatAnswer } from '#shared/domain/channels/chat-answer.ts';
import { isSlackUrl, type SlackBody } from './kind.ts';
import { slackMessage } from './message.ts';

/** Slack's incoming webhooks. */
export const slackChat: Chat<Pick<SlackBody, 'url'>> = {
  requestOf: ({ url }, notification) =>
    isSlackUrl(url) ? { url, message: slackMessage(notification) } : undefined,
  problemIn: ({ body }) => {
    // Slack responds with one word, so any other body is not from Slack.
    const code = /^[a-z_]{1,40}$/.test(body) ? body : undefined;
    return { code, seconds: undefined, isGone: code !== undefined && GONE.includes(code) };
  },
};

/** The webhook was removed, its channel archived or deleted, or its workspace closed. */
const GONE: readonly string[] = [
  ...['no_service', 'no_service_id', 'no_active_hooks', 'no_team', 'team_disabled'],
  ...['channel_not_found', 'channel_is_archived'],
];

/**
 * The operators' Slack webhook. If Slack refuses a notification and the webhook's secret was
 * replaced in the meantime, the notification is sent again. The channel is never switched off,
 * because its secret can be replaced again.
 */
export function createStackSlack(
  post: PostToUrl,
  readUrl: ReadSecret,
): (notification: Notification, signal: AbortSignal) => Promise<ChatAnswer> {
  const postTo: PostToUrl = async (...given) => {
    const answer = await post(...given);
    return answer.kind === 'gone' ? { ...answer, kind: 'refused' as const } : answer;
  };
  return async (notification, signal) => {
    const known = await readUrl(false);
    const answer = await postTo(known, notification, signal);
    if (answer.kind !== 'refused') return answer;
    const fresh = await readUrl(true);
    return fresh === known ? answer : await postTo(fresh, notification, signal);
  };
}

type PostToUrl = (
  url: string,
  notification: Notification,
  signal: AbortSignal,
) => Promise<ChatAnswer>;
