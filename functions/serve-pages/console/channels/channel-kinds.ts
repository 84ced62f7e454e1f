import type { Answer, BodyOf } from '#console/interface/operations.ts';
import type { Scene } from './setup-picture.tsx';

/** A channel as the API returns it, with its state. */
export type Channel = Answer<'GET /v1/channels'>['channels'][number];
/** A channel in requests to the API. */
export type ChannelBody = BodyOf<'POST /v1/channels'>;
export type Kind = ChannelBody['kind'];

/** A member of a channel as a field of the form. */
export type Field = {
  readonly label: string;
  readonly hint?: string;
  readonly placeholder?: string;
  /**
   * The control for the member: `text` and `key` are text fields (the channel's card shows a `text`
   * but no `key`), `count` is a number, `secret` is hidden after it is saved, `secrets` is one or
   * two secrets, `updates` is a choice, and `quiet` is a list of quiet hours.
   */
  readonly form: 'text' | 'key' | 'count' | 'secret' | 'secrets' | 'updates' | 'quiet';
};

type Step = { readonly words: string; readonly scene: Scene };

/** Instructions to set up a kind of channel. */
export type KindGuide<Name extends Kind> = {
  readonly name: string;
  /** A sentence about the kind and its purpose. */
  readonly is: string;
  readonly steps: readonly [Step, Step, Step];
  /** The fields in the order of the form. The type requires a field for each member. */
  readonly fields: {
    readonly [Member in Exclude<
      keyof Extract<ChannelBody, { readonly kind: Name }>,
      'id' | 'kind'
    >]: Field;
  };
};

const UPDATES: Field = { label: 'Later alerts of an episode', form: 'updates' };
const QUIET: Field = {
  label: 'Quiet hours',
  form: 'quiet',
  hint: 'During quiet hours, only critical alerts are sent. All others are sent as one summary when the quiet hours end.',
};

/** The guides of all kinds, in the order of the menu. */
export const KIND_GUIDES: { readonly [Name in Kind]: KindGuide<Name> } = {
  email: {
    name: 'Email',
    is: 'An email address, which its owner confirms once.',
    steps: [
      {
        words: 'Enter the address and add the channel.',
        scene: { kind: 'field', label: 'To', value: 'desk@example.com' },
      },
      {
        words: 'The owner of the address gets an email from AWS: “Subscription Confirmation”.',
        scene: { kind: 'mail', subject: 'Subscription Confirmation' },
      },
      {
        words:
          'Copy the link from that email and paste it here, but do not open it. If you open it, a mail scanner that follows the unsubscribe link in a later email can end the subscription.',
        scene: { kind: 'menu', items: ['Open link', 'Copy link', 'Save link'], chosen: 1 },
      },
    ],
    fields: {
      to: { label: 'Address', placeholder: 'desk@example.com', form: 'text' },
      quiet: QUIET,
    },
  },
  slack: {
    name: 'Slack',
    is: 'A Slack channel, through an incoming webhook.',
    steps: [
      {
        words: 'Create an app for your workspace at api.slack.com/apps.',
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
    name: 'Slack bot',
    is: 'A Slack channel, through a bot. The bot updates its message as the episode changes.',
    steps: [
      {
        words:
          'Create an app at api.slack.com/apps. Under “OAuth & Permissions” give its bot the scope chat:write, and install the app.',
        scene: { kind: 'menu', items: ['Basic Information', 'OAuth & Permissions'], chosen: 1 },
      },
      {
        words: 'Copy the “Bot User OAuth Token”.',
        scene: { kind: 'copy', label: 'Bot User OAuth Token', value: 'xoxb-…' },
      },
      {
        words:
          'Enter /invite @your-app in the channel. The channel ID is at the end of the channel’s details.',
        scene: { kind: 'chat', lines: ['/invite @floorwatch'], answer: 'floorwatch was added' },
      },
    ],
    fields: {
      token: { label: 'Bot token', placeholder: 'xoxb-…', form: 'secret' },
      channel: { label: 'Channel ID', placeholder: 'C0123456789', form: 'text' },
      updates: UPDATES,
      quiet: QUIET,
    },
  },
  discord: {
    name: 'Discord',
    is: 'A Discord channel. The message of an episode is updated as the episode changes.',
    steps: [
      {
        words: 'Open “Integrations” in the settings of the channel.',
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
    is: 'A Telegram chat. The message of an episode is updated as the episode changes.',
    steps: [
      {
        words: 'Send /newbot to @BotFather. It answers with the token of your bot.',
        scene: { kind: 'chat', lines: ['/newbot'], answer: 'Use this token: 123456:AA…' },
      },
      {
        words: 'Add the bot to the group, or send the bot a message: a bot cannot start a chat.',
        scene: { kind: 'chat', lines: ['/start'], answer: 'Hello.' },
      },
      {
        words:
          'For a public channel, enter its @name. For any other chat, open api.telegram.org/bot<token>/getUpdates and enter the number shown in “chat.id”.',
        scene: { kind: 'code', lines: ['"chat": {', '  "id": -100123456', '}'] },
      },
    ],
    fields: {
      token: { label: 'Bot token', placeholder: '123456789:AA…', form: 'secret' },
      chat: { label: 'Chat', placeholder: '-1001234567890 or @channel', form: 'text' },
      updates: UPDATES,
      quiet: QUIET,
    },
  },
  push: {
    name: 'Push',
    is: 'Browser notifications on a computer or a phone.',
    steps: [
      {
        words: 'Open this page on the device. On an iPhone, add it to the home screen first.',
        scene: { kind: 'menu', items: ['Copy', 'Add to Home Screen', 'Print'], chosen: 1 },
      },
      {
        words: 'Press “Notify this device” and allow notifications.',
        scene: { kind: 'button', title: 'Channels', label: 'Notify this device' },
      },
      {
        words:
          'The device is added as a channel. Fill in the fields below only for a subscription that was created elsewhere.',
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
    is: 'A Microsoft Teams channel or chat, through a workflow.',
    steps: [
      {
        words: 'Open “Workflows” in the menu “…” of the channel.',
        scene: { kind: 'menu', items: ['Manage channel', 'Workflows', 'Leave'], chosen: 1 },
      },
      {
        words:
          'Choose “Post to a channel when a webhook request is received”, and let “Anyone” trigger it.',
        scene: {
          kind: 'button',
          title: 'When a webhook request is received',
          label: 'Add workflow',
        },
      },
      {
        words: 'Copy the URL of the workflow.',
        scene: { kind: 'copy', label: 'Workflow added', value: 'https://….powerplatform.com' },
      },
    ],
    fields: {
      url: {
        label: 'Workflow URL',
        placeholder: 'https://….environment.api.powerplatform.com/…/workflows/…',
        form: 'secret',
      },
      quiet: QUIET,
    },
  },
  pagerduty: {
    name: 'PagerDuty',
    is: 'An on-call service. Each episode opens an incident, and the end of the episode resolves it.',
    steps: [
      {
        words: 'Open the tab “Integrations” of the service, and press “Add an integration”.',
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
    is: 'Your server gets each alert as signed JSON.',
    steps: [
      {
        words: 'Run a server at a public https address, on port 443 or 8443.',
        scene: { kind: 'code', lines: ['POST /alerts', 'webhook-id: …', 'webhook-signature: …'] },
      },
      {
        words:
          'Generate a signing secret here and store it on the server. Any Standard Webhooks library can verify the signatures.',
        scene: { kind: 'copy', label: 'Signing secret', value: 'whsec_…' },
      },
      {
        words:
          'floorwatch first sends a challenge. Alerts are sent after the server has returned the text of the challenge in its response.',
        scene: { kind: 'code', lines: ['{"challenge": "q7…"}', '→ 200', 'q7…'] },
      },
    ],
    fields: {
      url: { label: 'URL', placeholder: 'https://example.com/alerts', form: 'text' },
      secrets: {
        label: 'Signing secret',
        placeholder: 'whsec_…',
        form: 'secrets',
        hint: 'During a rotation, enter the old and the new secret. Each request is then signed with both.',
      },
      batchSize: {
        label: 'Maximum alerts per request',
        placeholder: '1',
        form: 'count',
        hint: 'Enter more than 1 only if the server accepts several alerts in one request.',
      },
    },
  },
  sqs: {
    name: 'SQS queue',
    is: 'Your program reads each alert from an AWS queue.',
    steps: [
      {
        words: 'Create a standard queue in SQS.',
        scene: { kind: 'button', title: 'Amazon SQS', label: 'Create queue' },
      },
      {
        words:
          'In the access policy of the queue, allow the service sns.amazonaws.com to call sqs:SendMessage for topics whose names begin with “floorwatch-”.',
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
        label: 'Queue ARN',
        placeholder: 'arn:aws:sqs:eu-west-1:123456789012:alerts',
        form: 'text',
      },
    },
  },
};

export const KINDS = Object.keys(KIND_GUIDES) as readonly Kind[];

/** The fields of a kind with their member names, in the order of the form. */
export function fieldsOf(kind: Kind): readonly (readonly [string, Field])[] {
  return Object.entries<Field>(KIND_GUIDES[kind].fields);
}
