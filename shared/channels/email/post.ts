import type { EmailAnswer, SendEmail } from '#shared/clients/email-sender.ts';
import type { Notification } from '#shared/domain/alerting/notification.ts';
import type { Subscription } from '#shared/domain/channels/channel-record.ts';
import type { ChatAnswer } from '#shared/domain/channels/chat-answer.ts';
import type { UnsubscribeLink } from '#shared/domain/channels/unsubscribe-link.ts';
import { emailMessage } from './message.ts';

export type EmailWorld = {
  readonly sendEmail: SendEmail;
  /** The address that ends the subscription; undefined where none can be signed now. */
  readonly unsubscribeUrl: (
    link: UnsubscribeLink,
    signal: AbortSignal,
  ) => Promise<string | undefined>;
  /** Learns why an email of a channel goes by its topic, as plain text. */
  readonly onRefused: (refusal: EmailAnswer & Pick<UnsubscribeLink, 'destinationId'>) => void;
};

/**
 * An email to a subscriber of a topic of its list. The subscription is the consent: who has not
 * confirmed it, as far as is known here, gets what SNS sends once they have. SNS also gets what SES
 * refuses, so that a quota, the sandbox or a sender that is not verified any more delay nothing.
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
