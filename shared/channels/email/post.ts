import type { EmailAnswer, SendEmail } from '#shared/clients/email-sender.ts';
import type { Notification } from '#shared/domain/alerting/notification.ts';
import type { Subscription } from '#shared/domain/channels/channel-record.ts';
import type { ChatAnswer } from '#shared/domain/channels/chat-answer.ts';
import type { UnsubscribeLink } from '#shared/domain/channels/unsubscribe-link.ts';
import { emailMessage } from './message.ts';

export type EmailWorld = {
  readonly sendEmail: SendEmail;
  /** The unsubscribe URL; undefined if it cannot be signed at the moment. */
  readonly unsubscribeUrl: (
    link: UnsubscribeLink,
    signal: AbortSignal,
  ) => Promise<string | undefined>;
  /** Called when SES refuses an email and the topic sends it as plain text instead. */
  readonly onRefused: (refusal: EmailAnswer & Pick<UnsubscribeLink, 'destinationId'>) => void;
};

/**
 * Sends an email to a subscriber of the list's topic. A confirmed subscription is the consent of
 * the recipient. Without a record of the confirmation, the email is published to the topic, and SNS
 * sends it only to confirmed subscribers. SNS also sends emails that SES refuses, so a quota, the
 * sandbox or an unverified sender does not delay them.
 */
export async function postEmail(
  { sendEmail, unsubscribeUrl, onRefused }: EmailWorld,
  link: UnsubscribeLink,
  subscription: Subscription | undefined,
  notification: Notification,
  publish: () => Promise<ChatAnswer>,
  signal: AbortSignal,
): Promise<ChatAnswer> {
  if (!isConfirmed(subscription)) return await publish();
  const url = await unsubscribeUrl(link, signal);
  if (url === undefined) return await publish();
  const { to, destinationId } = link;
  const message = emailMessage(notification, url);
  const answer = await sendEmail(
    { to, channel: destinationId, unsubscribeUrl: url, ...message },
    signal,
  );
  if (answer.kind !== 'refused') return answer;
  onRefused({ destinationId, ...answer });
  return await publish();
}

function isConfirmed(subscription: Subscription | undefined): boolean {
  return subscription?.state.startsWith('confirmed') === true;
}
