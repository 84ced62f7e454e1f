import type { Delivery } from '#infra/local/mailbox.ts';
import { closeServer, listen } from '#infra/local/runtime/loopback.ts';
import type { ChatOrigins } from '#shared/channels/chat-origins.ts';
import { DOUBLES } from '#shared/channels/doubles.ts';
import { createSesDouble } from '#shared/channels/email/double.ts';
import { createReceiver, type OnRefusal, type Post } from './receiver.ts';
import { createWebhookDouble } from './webhook-double.ts';

/** The address that the fake of SES has verified. */
export const EMAIL_SENDER = 'alerts@floorwatch.example';

/** The fakes of all receivers. */
export type Receivers = {
  readonly chatOrigins: ChatOrigins;
  readonly webhookOrigin: string;
  /** The URL of the fake of SES. */
  readonly sesUrl: string;
  readonly close: () => Promise<void>;
};

export type ReceiversOptions = {
  /** The secret that signs all webhooks to this origin. */
  readonly webhookSecret: string;
  /** The port of the previous run, so that stored lists still reach it; 0 for any. */
  readonly webhookPort: number;
  readonly now: () => number;
  readonly deliver: (delivery: Delivery) => void;
  readonly onRefusal: OnRefusal;
};

export async function startReceivers(options: ReceiversOptions): Promise<Receivers> {
  const { webhookSecret, webhookPort, now, deliver, onRefusal } = options;
  const webhook = createWebhookDouble(
    webhookSecret,
    ({ path: to, alert }) => {
      const subject = `${alert.kind}, alert ${alert.id}, signature verified`;
      deliver({ kind: 'webhook', to, subject, message: alert });
    },
    onRefusal,
  );
  const chats = Object.values(DOUBLES).map(({ channel: { kind }, create }) => {
    const answer = create(now);
    const receive = (post: Post) => {
      const { taken, ...said } = answer(post);
      if (taken !== undefined) deliver({ kind, ...taken });
      return said;
    };
    return { kind, server: createReceiver(receive, onRefusal, ['GET', 'POST', 'PATCH']) };
  });
  const sendEmail = createSesDouble(EMAIL_SENDER, now);
  const ses = createReceiver((post) => {
    const { taken, ...said } = sendEmail(post);
    if (taken !== undefined) deliver({ kind: 'email', ...taken });
    return said;
  }, onRefusal);
  const [webhookOrigin, sesUrl, ...origins] = await Promise.all([
    listen(webhook, webhookPort).catch(() => listen(webhook)),
    listen(ses),
    ...chats.map(async ({ kind, server }) => [kind, await listen(server)] as const),
  ]);
  return {
    chatOrigins: Object.fromEntries(origins),
    webhookOrigin,
    sesUrl,
    close: async () => {
      await Promise.all([...chats.map(({ server }) => server), webhook, ses].map(closeServer));
    },
  };
}
