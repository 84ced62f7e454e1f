import {
  ChannelList,
  ChannelOfList,
  StandingAnswer,
  StandingAnswers,
  TestAnswer,
} from '#functions/manage-channels/answers.ts';
import { ConfirmationBody } from '#functions/manage-channels/requests.ts';
import { ChannelAnswer, ChannelAnswers } from '#functions/manage-watchlists/answers.ts';
import { ChannelBody } from '#shared/domain/channels/channel-body.ts';
import { type Component, MOMENT, object, other } from './component.ts';

const channelMembers = {
  id: 'The id of the channel within its list; made (`channel-1`, …) where it is left out.',
  kind: 'Where it leads.',
} as const;

const kindMembers = {
  email: { to: 'The address. SNS asks its owner once to confirm.' },
  sqs: {
    queue: 'The ARN of a standard queue, which has to let the topics of the stack send to it.',
  },
  slack: {
    url: 'The incoming webhook of Slack. A secret: answers show `kept:…` in its place, and a request with that keeps it.',
  },
  discord: {
    url: 'The webhook of Discord. A secret: answers show `kept:…` in its place, and a request with that keeps it.',
  },
  webhook: {
    url: 'A public https URL, usually at port 443 or 8443. Before its first alert it receives `{"type": "challenge", "challenge": "…"}`, signed like an alert, and answers with the text of `challenge`, or with an object with that member.',
    secrets:
      'One or two signing secrets after Standard Webhooks: `whsec_` and the base64 of 24 to 64 random bytes. Answers show `kept:…` in their place, and a request with that keeps them, unless the URL moves to another host. During a rotation there are two, and both sign.',
  },
} as const;

const standingMembers = {
  state:
    '`working`: no failure is known. `pending`: its subscription is not confirmed, or its challenge not answered. `failing`: its last message failed, and is retried for a day. `off`: it answered 410, and gets nothing until its URL changes or a test succeeds. `gone`: its subscription has ended.',
  reason: 'Why it is in that state; null where there is nothing to say.',
  since: `Since when, where that is known: ${MOMENT}.`,
  lastSuccess: `When it last took a message: ${MOMENT}; null where it never did.`,
  waiting: 'The number of alerts that wait for it; 100 means 100 or more.',
} as const;

const [emailBody, sqsBody, slackBody, discordBody, webhookBody] = ChannelBody.options;
const members = { ...channelMembers, id: 'The id of the channel within its list.' };
const standing = { ...members, ...standingMembers };

/** Where the alerts of a list go: as it is written, as it is read, and how it does. */
export const channelComponents: readonly Component[] = [
  other(['input'], 'ChannelInput', ChannelBody, 'Where the alerts of a list go, as it is written.'),
  object('input', 'EmailChannelInput', emailBody, 'An email address.', {
    ...channelMembers,
    ...kindMembers.email,
  }),
  object('input', 'SqsChannelInput', sqsBody, "A queue; the alert's JSON is the body.", {
    ...channelMembers,
    ...kindMembers.sqs,
  }),
  object('input', 'SlackChannelInput', slackBody, 'A channel of Slack.', {
    ...channelMembers,
    ...kindMembers.slack,
  }),
  object('input', 'DiscordChannelInput', discordBody, 'A channel of Discord.', {
    ...channelMembers,
    ...kindMembers.discord,
  }),
  object('input', 'WebhookChannelInput', webhookBody, 'A server that gets each alert, signed.', {
    ...channelMembers,
    ...kindMembers.webhook,
  }),
  other(
    ['output'],
    'Channel',
    ChannelAnswer,
    'Where the alerts of a list go; secrets by their names.',
  ),
  object('output', 'EmailChannel', ChannelAnswers.email, 'An email address.', {
    ...members,
    ...kindMembers.email,
  }),
  object('output', 'SqsChannel', ChannelAnswers.sqs, "A queue; the alert's JSON is the body.", {
    ...members,
    ...kindMembers.sqs,
  }),
  object('output', 'SlackChannel', ChannelAnswers.slack, 'A channel of Slack.', {
    ...members,
    ...kindMembers.slack,
  }),
  object('output', 'DiscordChannel', ChannelAnswers.discord, 'A channel of Discord.', {
    ...members,
    ...kindMembers.discord,
  }),
  object(
    'output',
    'WebhookChannel',
    ChannelAnswers.webhook,
    'A server that gets each alert, signed.',
    {
      ...members,
      ...kindMembers.webhook,
    },
  ),
  other(['output'], 'ChannelStanding', StandingAnswer, 'A channel, and how it does.'),
  object(
    'output',
    'EmailChannelStanding',
    StandingAnswers.email,
    'An email address, and how it does.',
    {
      ...standing,
      ...kindMembers.email,
    },
  ),
  object('output', 'SqsChannelStanding', StandingAnswers.sqs, 'A queue, and how it does.', {
    ...standing,
    ...kindMembers.sqs,
  }),
  object(
    'output',
    'SlackChannelStanding',
    StandingAnswers.slack,
    'A channel of Slack, and how it does.',
    {
      ...standing,
      ...kindMembers.slack,
    },
  ),
  object(
    'output',
    'DiscordChannelStanding',
    StandingAnswers.discord,
    'A channel of Discord, and how it does.',
    { ...standing, ...kindMembers.discord },
  ),
  object(
    'output',
    'WebhookChannelStanding',
    StandingAnswers.webhook,
    'A server that gets each alert, and how it does.',
    { ...standing, ...kindMembers.webhook },
  ),
  object('output', 'ChannelList', ChannelList, 'The channels of a list.', {
    channels: 'Each channel, and how it does, in the order of the list.',
    undeliverable: 'Whether none of them is `working`, also where there is none.',
    unreadable:
      'Channels of which it is not known how they do, since another version of the stack has written it.',
  }),
  object('output', 'ChannelOfList', ChannelOfList, 'One channel of a list, and how it does.', {
    channel: 'The channel.',
    revision: 'The revision of the list.',
    pendingChanges: 'The number of contracts on which that is not in effect yet.',
  }),
  object('output', 'ChannelTest', TestAnswer, 'A sample that was sent.', {
    id: 'The id of the sample, an alert of kind `test`.',
    self: 'Where the alert is found, and what became of it.',
  }),
  object(
    'input',
    'ConfirmationInput',
    ConfirmationBody,
    'The link of the mail that asks to confirm.',
    {
      link: 'The link from the mail of SNS. It is parsed, and never opened.',
    },
  ),
];
