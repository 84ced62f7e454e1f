import {
  ChannelList,
  ChannelOfList,
  ChannelTest,
  StandingAnswer,
} from '#functions/manage-channels/answers.ts';
import { ConfirmationBody } from '#functions/manage-channels/requests.ts';
import { channelRoutes } from '#functions/manage-channels/routes.ts';
import { KIND_OF_CHANNEL, nameEachKind } from '#shared/channels/channel-answers.ts';
import { ChannelBody } from '#shared/channels/channel-body.ts';
import { ListChannelBody } from '#shared/domain/watchlists/watchlist-body.ts';
import { input } from '#shared/http/described.ts';
import { channelBody } from './examples.ts';
import { describeRoutes, json, LOOKUP_PROBLEMS } from './operation.ts';

input('ChannelInput', ChannelBody, 'A destination of alerts, in a request.');
nameEachKind(ChannelBody, 'input', 'Input', {
  id: 'The id of the channel, within its list or among the contact points; generated (`channel-1`, …) if left out.',
  kind: KIND_OF_CHANNEL,
});
input(
  'ListChannelInput',
  ListChannelBody,
  'A channel of a list, in a request: a contact point of the tenant by its id, or a channel of the list alone.',
);

input('ConfirmationInput', ConfirmationBody, 'The link of a confirmation mail.', {
  link: 'The link from the mail of SNS. It is parsed, and never opened.',
});

const standing = {
  ...channelBody,
  ...{ state: 'working', reason: null, since: null, waiting: 0 },
  lastSuccess: '2026-11-21T12:01:03.000Z',
};

const channelOfList = { channel: standing, revision: 3, pendingChanges: 0 };

const confirmedChannel = { ...standing, lastSuccess: null };

const channelList = { channels: [standing], undeliverable: false, unreadable: [] };

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
      'The alert goes to that channel only, at once and in any state. A channel that is `off` works again when it accepts the alert.',
    answers: {
      202: json('The alert is on its way.', ChannelTest, channelTest, {
        Location: 'The path of the alert, which has its delivery.',
      }),
    },
    problems: LOOKUP_PROBLEMS,
  },
  confirm: {
    tag: 'Channels',
    description:
      'A subscription confirmed in this way cannot be ended by the link at the foot of a mail, which mail scanners may open.',
    bodies: { 'a link': confirmationBody },
    answers: { 200: json('The channel, confirmed.', StandingAnswer, confirmedChannel) },
    problems: [...LOOKUP_PROBLEMS, 'not_confirmable'],
  },
} as const;

/** The channels of a list and the contact points of a tenant, and the state of each. */
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
    summary: 'Confirm an email channel by the link of its confirmation mail',
  },
  'GET /v1/channels': {
    ...actions.list,
    id: 'listContactPoints',
    summary: 'List the contact points of the tenant with their states',
    description:
      'Contact points are channels of the tenant, which its watchlists use by their ids.',
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
    summary: 'Confirm an email contact point by the link of its confirmation mail',
  },
});
