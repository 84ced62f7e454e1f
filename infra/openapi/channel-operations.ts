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
    summary: 'List the channels of a watchlist, and how each does',
    answers: { 200: json('The channels.', ChannelList, examples.channelList) },
    problems: LOOKUP_PROBLEMS,
  },
  'GET /v1/watchlists/{watchlist}/channels/{channel}': {
    id: 'getChannel',
    tag: 'Channels',
    summary: 'Read one channel of a watchlist, and how it does',
    answers: { 200: json('The channel.', ChannelOfList, examples.channelOfList) },
    problems: LOOKUP_PROBLEMS,
  },
  'POST /v1/watchlists/{watchlist}/channels/{channel}/test': {
    id: 'testChannel',
    tag: 'Channels',
    summary: 'Send a sample to one channel',
    description:
      'It goes to that channel alone, at once, however the channel has done so far. One that is off is on again when it takes the sample.',
    answers: {
      202: json('The sample is on its way.', TestAnswer, examples.channelTest, {
        Location: 'The path of the sample, which reports what became of it.',
      }),
    },
    problems: LOOKUP_PROBLEMS,
  },
  'POST /v1/watchlists/{watchlist}/channels/{channel}/confirm': {
    id: 'confirmChannel',
    tag: 'Channels',
    summary: 'Confirm an email by the link of the mail that asks for it',
    description:
      'A subscription confirmed in this way cannot be ended by the link at the foot of a mail, which mail scanners may open.',
    bodies: { 'a link': examples.confirmationBody },
    answers: { 200: json('The channel, confirmed.', StandingAnswer, examples.confirmedChannel) },
    problems: [...LOOKUP_PROBLEMS, 'not_confirmable'],
  },
});
