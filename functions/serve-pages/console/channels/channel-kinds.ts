import type { Answer, BodyOf } from '#console/interface/operations.ts';
import type { Scene } from './setup-picture.tsx';

/** A channel as it is read, with its state. */
export type Channel = Answer<'GET /v1/channels'>['channels'][number];
/** A channel as it is written. */
export type ChannelBody = BodyOf<'POST /v1/channels'>;
export type Kind = ChannelBody['kind'];

/** A member of a channel as a field of the form. */
export type Field = {
  readonly label: string;
  readonly hint?: string;
  readonly placeholder?: string;
  /**
   * A `key` is a text that tells people nothing; a `count` is a number; a `secret` is never shown again; `secrets` are one or two; `updates` is a
   * choice; `quiet` are hours.
   */
  readonly form: 'text' | 'key' | 'count' | 'secret' | 'secrets' | 'updates' | 'quiet';
};

type Step = { readonly words: string; readonly scene: Scene };

/** A kind of channel as it is set up. */
export type KindGuide<Name extends Kind> = {
  readonly name: string;
  /** For whom it is. */
  readonly is: string;
  readonly steps: readonly [Step, Step, Step];
  /** In the order of the form; a member without a field does not compile. */
  readonly fields: {
    readonly [Member in Exclude<
      keyof Extract<ChannelBody, { readonly kind: Name }>,
      'id' | 'kind'
    >]: Field;
  };
};

const UPDATES: Field = { label: 'Later news of an episode', form: 'updates' };
const QUIET: Field = {
  label: 'Quiet hours',
  form: 'quiet',
  hint: 'Only critical alerts come then; the rest comes as one summary at their end.',
};

/** How each kind is set up, in the order in which they are offered. */
export const KIND_GUIDES: { readonly [Name in Kind]: KindGuide<Name> } = {
  email: {
    name: 'Email',
    is: 'One address. Its owner confirms it once.',
    steps: [
      {
        words: 'Write the address, and add the channel.',
        scene: { kind: 'field', label: 'To', value: 'desk@example.com' },
      },
      {
        words: 'Its owner gets a mail of AWS, “Subscription Confirmation”.',
        scene: { kind: 'mail', subject: 'Subscription Confirmation' },
      },
      {
        words:
          'Copy the link of that mail and paste it here, so that no mail scanner can end the subscription; or just open it.',
        scene: { kind: 'button', title: 'AWS Notification', label: 'Confirm subscription' },
      },
    ],
    fields: {
      to: { label: 'Address', placeholder: 'desk@example.com', form: 'text' },
      quiet: QUIET,
    },
  },
  slack: {
    name: 'Slack',
    is: 'A channel of Slack, by an incoming webhook.',
    steps: [
      {
        words: 'At api.slack.com/apps make an app for your workspace.',
        scene: { kind: 'button', title: 'Your Apps', label: 'Create New App' },
      },
      {
        words: 'Turn on “Incoming Webhooks”, press “Add New Webhook” and choose the channel.',
        scene: { kind: 'switch', title: 'Features', label: 'Incoming Webhooks' },
      },
      {
        words: 'Copy the webhook URL.',
        scene: { kind: 'copy', label: 'Webhook URL', value: 'hooks.slack.com/…' },
      },
    ],
    fields: {
      url: {
        label: 'Webhook URL',
        placeholder: 'https://hooks.slack.com/services/T…/B…/…',
        form: 'secret',
      },
      quiet: QUIET,
    },
  },
  slack_bot: {
    name: 'Slack by a bot',
    is: 'A channel of Slack; the bot changes its message as an episode goes on.',
    steps: [
      {
        words:
          'Make an app at api.slack.com/apps. Under “OAuth & Permissions” give its bot the right chat:write, and install it.',
        scene: { kind: 'menu', items: ['Basic Information', 'OAuth & Permissions'], chosen: 1 },
      },
      {
        words: 'Copy the “Bot User OAuth Token”.',
        scene: { kind: 'copy', label: 'Bot User OAuth Token', value: 'xoxb-…' },
      },
      {
        words:
          'Write /invite @your-app in the channel. Its id stands at the end of the channel’s details.',
        scene: { kind: 'chat', lines: ['/invite @floorwatch'], answer: 'floorwatch was added' },
      },
    ],
    fields: {
      token: { label: 'Token of the bot', placeholder: 'xoxb-…', form: 'secret' },
      channel: { label: 'Id of the channel', placeholder: 'C0123456789', form: 'text' },
      updates: UPDATES,
      quiet: QUIET,
    },
  },
  discord: {
    name: 'Discord',
    is: 'A channel of Discord; its message changes as an episode goes on.',
    steps: [
      {
        words: 'Open the settings of the channel, and there “Integrations”.',
        scene: { kind: 'menu', items: ['Overview', 'Permissions', 'Integrations'], chosen: 2 },
      },
      {
        words: 'Press “Webhooks”, then “New Webhook”.',
        scene: { kind: 'button', title: 'Webhooks', label: 'New Webhook' },
      },
      {
        words: 'Press “Copy Webhook URL”.',
        scene: { kind: 'copy', label: 'floorwatch', value: 'discord.com/api/webhooks/…' },
      },
    ],
    fields: {
      url: {
        label: 'Webhook URL',
        placeholder: 'https://discord.com/api/webhooks/…/…',
        form: 'secret',
      },
      updates: UPDATES,
      quiet: QUIET,
    },
  },
  telegram: {
    name: 'Telegram',
    is: 'A chat of Telegram; its message changes as an episode goes on.',
    steps: [
      {
        words: 'Write /newbot to @BotFather. It answers with the token of your bot.',
        scene: { kind: 'chat', lines: ['/newbot'], answer: 'Use this token: 123456:AA…' },
      },
      {
        words: 'Add the bot to the group, or write to it yourself: it may not write first.',
        scene: { kind: 'chat', lines: ['/start'], answer: 'Hello.' },
      },
      {
        words:
          'A public channel is its @name. Of any other chat open api.telegram.org/bot<token>/getUpdates: the number is chat.id.',
        scene: { kind: 'code', lines: ['"chat": {', '  "id": -100123456', '}'] },
      },
    ],
    fields: {
      token: { label: 'Token of the bot', placeholder: '123456789:AA…', form: 'secret' },
      chat: { label: 'Chat', placeholder: '-1001234567890 or @channel', form: 'text' },
      updates: UPDATES,
      quiet: QUIET,
    },
  },
  push: {
    name: 'Push',
    is: 'Notifications of a browser, on a computer or a phone.',
    steps: [
      {
        words: 'Open this page on the device. On an iPhone add it to the home screen first.',
        scene: { kind: 'menu', items: ['Copy', 'Add to Home Screen', 'Print'], chosen: 1 },
      },
      {
        words: 'Press “Notify this device” and allow notifications.',
        scene: { kind: 'button', title: 'Channels', label: 'Notify this device' },
      },
      {
        words: 'The fields are filled in then. A subscription made elsewhere can be pasted here.',
        scene: { kind: 'code', lines: ['"endpoint": "https://…",', '"keys": {', '  "p256dh": …'] },
      },
    ],
    fields: {
      device: { label: 'Device', placeholder: 'Chrome on Android', form: 'text' },
      endpoint: { label: 'Endpoint', placeholder: 'https://…', form: 'secret' },
      p256dh: { label: 'Public key (p256dh)', placeholder: 'B…', form: 'key' },
      auth: { label: 'Authentication secret (auth)', placeholder: '22 characters', form: 'secret' },
      quiet: QUIET,
    },
  },
  teams: {
    name: 'Teams',
    is: 'A channel or chat of Microsoft Teams, by a workflow.',
    steps: [
      {
        words: 'In the menu “…” of the channel open “Workflows”.',
        scene: { kind: 'menu', items: ['Manage channel', 'Workflows', 'Leave'], chosen: 1 },
      },
      {
        words:
          'Choose “Post to a channel when a webhook request is received”, which “Anyone” may trigger.',
        scene: {
          kind: 'button',
          title: 'When a webhook request is received',
          label: 'Add workflow',
        },
      },
      {
        words: 'Copy the URL that it shows.',
        scene: { kind: 'copy', label: 'Workflow added', value: 'https://….powerplatform.com' },
      },
    ],
    fields: {
      url: {
        label: 'URL of the workflow',
        placeholder: 'https://….environment.api.powerplatform.com/…/workflows/…',
        form: 'secret',
      },
      quiet: QUIET,
    },
  },
  pagerduty: {
    name: 'PagerDuty',
    is: 'A service on call: an episode opens an incident, its end resolves it.',
    steps: [
      {
        words: 'Open the service, its tab “Integrations”, and press “Add an integration”.',
        scene: { kind: 'button', title: 'Integrations', label: 'Add an integration' },
      },
      {
        words: 'Choose “Events API V2”.',
        scene: { kind: 'menu', items: ['Email', 'Events API V2', 'Slack'], chosen: 1 },
      },
      {
        words: 'Copy the integration key.',
        scene: { kind: 'copy', label: 'Integration Key', value: 'R0ABC…' },
      },
    ],
    fields: {
      routingKey: {
        label: 'Integration key',
        placeholder: '32 letters and digits',
        form: 'secret',
      },
    },
  },
  webhook: {
    name: 'Webhook',
    is: 'A server of yours gets each alert as JSON, signed.',
    steps: [
      {
        words: 'Let a server listen at a public https address, port 443 or 8443.',
        scene: { kind: 'code', lines: ['POST /alerts', 'webhook-id: …', 'webhook-signature: …'] },
      },
      {
        words:
          'Make a signing secret here and give it to the server: any library of Standard Webhooks checks it.',
        scene: { kind: 'copy', label: 'Signing secret', value: 'whsec_…' },
      },
      {
        words: 'First it gets a challenge, and answers with its text. Then alerts begin.',
        scene: { kind: 'code', lines: ['{"challenge": "q7…"}', '→ 200', 'q7…'] },
      },
    ],
    fields: {
      url: { label: 'URL', placeholder: 'https://example.com/alerts', form: 'text' },
      secrets: {
        label: 'Signing secret',
        placeholder: 'whsec_…',
        form: 'secrets',
        hint: 'Two of them while one takes the place of the other: both sign.',
      },
      batchSize: {
        label: 'Most alerts in one request',
        placeholder: '1',
        form: 'count',
        hint: 'More than one for a server that takes many at once when many fire.',
      },
    },
  },
  sqs: {
    name: 'SQS queue',
    is: 'A program of yours reads each alert from a queue of AWS.',
    steps: [
      {
        words: 'Make a standard queue in SQS.',
        scene: { kind: 'button', title: 'Amazon SQS', label: 'Create queue' },
      },
      {
        words:
          'Let sns.amazonaws.com do sqs:SendMessage in its access policy, for topics whose names begin with “floorwatch-”.',
        scene: {
          kind: 'code',
          lines: ['"Service":', '  "sns.amazonaws.com"', '"sqs:SendMessage"'],
        },
      },
      {
        words: 'Copy the ARN of the queue.',
        scene: { kind: 'copy', label: 'ARN', value: 'arn:aws:sqs:…:alerts' },
      },
    ],
    fields: {
      queue: {
        label: 'ARN of the queue',
        placeholder: 'arn:aws:sqs:eu-west-1:123456789012:alerts',
        form: 'text',
      },
    },
  },
};

export const KINDS = Object.keys(KIND_GUIDES) as readonly Kind[];

/** The fields of a kind by the names of their members. */
export function fieldsOf(kind: Kind): readonly (readonly [string, Field])[] {
  return Object.entries<Field>(KIND_GUIDES[kind].fields);
}
