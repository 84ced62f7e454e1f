import type { Delivery } from '#infra/local/mailbox.ts';
import { closeServer, listen } from '#infra/local/runtime/loopback.ts';
import { createDiscordDouble } from './discord-double.ts';
import type { OnRefusal } from './receiver.ts';
import { createSlackDouble } from './slack-double.ts';
import { createWebhookDouble } from './webhook-double.ts';

/** Doubles of all receivers over HTTP. */
export type Receivers = {
  readonly slackOrigin: string;
  readonly discordOrigin: string;
  readonly webhookOrigin: string;
  readonly close: () => Promise<void>;
};

export type ReceiversOptions = {
  /** What everything below the webhooks' origin is signed with. */
  readonly webhookSecret: string;
  /** The port it had before, so that kept lists still find it; 0 for any. */
  readonly webhookPort: number;
  readonly now: () => number;
  readonly deliver: (delivery: Delivery) => void;
  readonly onRefusal: OnRefusal;
};

export async function startReceivers(options: ReceiversOptions): Promise<Receivers> {
  const { webhookSecret, webhookPort, now, deliver, onRefusal } = options;
  const slack = createSlackDouble(
    ({ webhook: to, message }) => deliver({ kind: 'slack', to, subject: message.text, message }),
    onRefusal,
    now,
  );
  const discord = createDiscordDouble(
    ({ webhook: to, message }) => {
      const written = message.content ?? message.embeds?.[0]?.title ?? '';
      // As Discord shows it: behind a backslash, punctuation is no markup.
      const subject = written.replaceAll(/\\(\p{P}|\p{S})/gu, '$1');
      deliver({ kind: 'discord', to, subject, message });
    },
    onRefusal,
    now,
  );
  const webhook = createWebhookDouble(
    webhookSecret,
    ({ path: to, alert }) => {
      const subject = `${alert.kind}, alert ${alert.id}, signature verified`;
      deliver({ kind: 'webhook', to, subject, message: alert });
    },
    onRefusal,
  );
  const [slackOrigin, discordOrigin, webhookOrigin] = await Promise.all([
    listen(slack),
    listen(discord),
    listen(webhook, webhookPort).catch(() => listen(webhook)),
  ]);
  return {
    slackOrigin,
    discordOrigin,
    webhookOrigin,
    close: async () => {
      await Promise.all([slack, discord, webhook].map(closeServer));
    },
  };
}
