import {
  ChannelList,
  ChannelOfList,
  ChannelStatusAnswer,
  ChannelTest,
} from '#functions/manage-channels/answers.ts';
import { ConfirmationBody } from '#functions/manage-channels/requests.ts';
import { channelRoutes } from '#functions/manage-channels/routes.ts';
import { KIND_OF_CHANNEL, nameEachKind } from '#shared/channels/channel-answers.ts';
import { ChannelBody } from '#shared/channels/channel-body.ts';
import { ListChannelBody } from '#shared/domain/watchlists/watchlist-body.ts';
import { input } from '#shared/http/described.ts';
import { channelBody } from './examples.ts';
import { describeRoutes, json, LOOKUP_PROBLEMS } from './operation.ts';

input(
  'ChannelInput',
  ChannelBody._zod.innerType,
  'A channel as sent in a request: a destination for alerts.',
);
nameEachKind(ChannelBody._zod.innerType, 'input', 'Input', {
  id: 'The id of the channel, unique within its list or among the contact points. If it is omitted, it is generated (`channel-1`, …).',
  kind: KIND_OF_CHANNEL,
});
input(
  'ListChannelInput',
  ListChannelBody,
  'A channel of a list as sent in a request: the id of a contact point of the tenant, or a channel that only this list has.',
);

input('ConfirmationInput', ConfirmationBody, 'The link from a confirmation email.', {
  link: 'The link from the confirmation email that SNS sent. The server parses the link but never opens it.',
});

const status = {
  ...channelBody,
  ...{ state: 'working', reason: null, since: null, waiting: 0 },
  lastSuccess: '2026-11-21T12:01:03.000Z',
};

const channelOfList = { channel: status, revision: 3, pendingChanges: 0 };

const confirmedChannel = { ...status, lastSuccess: null };

const channelList = { channels: [status], undeliverable: false, unreadable: [] };

const channelTest = {
  id: '0123456789abcdef0123.0.test-7',
  self: '/v1/watchlists/punks/alerts/2026-11-21T12:01:00.000Z~0123456789abcdef0123.0.test-7',
};

const confirmationBody = {
  link: 'https://sns.eu-west-1.amazonaws.com/confirmation.html?TopicArn=arn:aws:sns:eu-west-1:123456789012:floorwatch-dev-0a1b&Token=2336412f37fb687f5d51e6e2425ba1f2',
};

const actions = {
  list: {
    tag: 'Channels',
    answers: { 200: json('The channels.', ChannelList, channelList) },
  },
  get: {
    tag: 'Channels',
    answers: { 200: json('The channel.', ChannelOfList, channelOfList) },
    problems: LOOKUP_PROBLEMS,
  },
  test: {
    tag: 'Channels',
    description:
      'Sends the alert at once, only to this channel, whatever the state of the channel is. A channel that is `off` is turned on again if it accepts the alert.',
    answers: {
      202: json('The alert is being sent.', ChannelTest, channelTest, {
        Location: 'The path of the alert with its delivery.',
      }),
    },
    problems: LOOKUP_PROBLEMS,
  },
  confirm: {
    tag: 'Channels',
    description:
      'The unsubscribe links in emails to a channel that was confirmed in this way have no effect, so a mail scanner that opens them does no harm.',
    bodies: { 'a link': confirmationBody },
    answers: { 200: json('The confirmed channel.', ChannelStatusAnswer, confirmedChannel) },
    problems: [...LOOKUP_PROBLEMS, 'not_confirmable'],
  },
} as const;

/** Documents the operations on the states of channels: those of a list, and contact points. */
export const channelOperations = describeRoutes(channelRoutes, {
  'GET /v1/watchlists/{watchlist}/channels': {
    ...actions.list,
    id: 'listChannels',
    summary: 'List the channels of a watchlist with their states',
    description: 'Contact points that the list uses come first.',
    problems: LOOKUP_PROBLEMS,
  },
  'GET /v1/watchlists/{watchlist}/channels/{channel}': {
    ...actions.get,
    id: 'getChannel',
    summary: 'Read one channel of a watchlist with its state',
  },
  'POST /v1/watchlists/{watchlist}/channels/{channel}/test': {
    ...actions.test,
    id: 'testChannel',
    summary: 'Send a test alert to one channel',
  },
  'POST /v1/watchlists/{watchlist}/channels/{channel}/confirm': {
    ...actions.confirm,
    id: 'confirmChannel',
    summary: 'Confirm an email channel with the link from its confirmation email',
  },
  'GET /v1/channels': {
    ...actions.list,
    id: 'listContactPoints',
    summary: 'List the contact points of the tenant with their states',
    description:
      'Contact points are channels that belong to the tenant. The watchlists of the tenant refer to a contact point by its id.',
    problems: ['unreadable'],
  },
  'GET /v1/channels/{channel}': {
    ...actions.get,
    id: 'getContactPoint',
    summary: 'Read one contact point with its state',
  },
  'POST /v1/channels/{channel}/test': {
    ...actions.test,
    id: 'testContactPoint',
    summary: 'Send a test alert to one contact point',
  },
  'POST /v1/channels/{channel}/confirm': {
    ...actions.confirm,
    id: 'confirmContactPoint',
    summary: 'Confirm an email contact point with the link from its confirmation email',
  },
});
