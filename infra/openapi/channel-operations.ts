import {
  ChannelList,
  ChannelOfList,
  StandingAnswer,
  TestAnswer,
} from '#functions/manage-channels/answers.ts';
import { channelRoutes } from '#functions/manage-channels/routes.ts';
import * as examples from './examples.ts';
import { describeRoutes, json, LOOKUP_PROBLEMS } from './operation.ts';

/** The channels of a list, and the state of each. */
export const channelOperations = describeRoutes(channelRoutes, {
  'GET /v1/watchlists/{watchlist}/channels': {
    id: 'listChannels',
    tag: 'Channels',
    summary: 'List the channels of a watchlist with their states',
    answers: { 200: json('The channels.', ChannelList, examples.channelList) },
    problems: LOOKUP_PROBLEMS,
  },
  'GET /v1/watchlists/{watchlist}/channels/{channel}': {
    id: 'getChannel',
    tag: 'Channels',
    summary: 'Read one channel of a watchlist with its state',
    answers: { 200: json('The channel.', ChannelOfList, examples.channelOfList) },
    problems: LOOKUP_PROBLEMS,
  },
  'POST /v1/watchlists/{watchlist}/channels/{channel}/test': {
    id: 'testChannel',
    tag: 'Channels',
    summary: 'Send a test alert to one channel',
    description:
      'The alert goes to that channel only, at once and in any state. A channel that is `off` works again when it accepts the alert.',
    answers: {
      202: json('The alert is on its way.', TestAnswer, examples.channelTest, {
        Location: 'The path of the alert, which has its delivery.',
      }),
    },
    problems: LOOKUP_PROBLEMS,
  },
  'POST /v1/watchlists/{watchlist}/channels/{channel}/confirm': {
    id: 'confirmChannel',
    tag: 'Channels',
    summary: 'Confirm an email channel by the link of its confirmation mail',
    description:
      'A subscription confirmed in this way cannot be ended by the link at the foot of a mail, which mail scanners may open.',
    bodies: { 'a link': examples.confirmationBody },
    answers: { 200: json('The channel, confirmed.', StandingAnswer, examples.confirmedChannel) },
    problems: [...LOOKUP_PROBLEMS, 'not_confirmable'],
  },
});
