import {
  ChannelList,
  ChannelOfList,
  StandingAnswer,
  TestAnswer,
} from '#functions/manage-channels/answers.ts';
import { channelRoutes } from '#functions/manage-channels/routes.ts';
import * as examples from './examples.ts';
import { describeRoutes } from './operation.ts';
import { withTagsAndKeys } from './preconditions.ts';

const described = describeRoutes(channelRoutes, {
  'GET /v1/watchlists/{watchlist}/channels': {
    id: 'listChannels',
    tag: 'Channels',
    summary: 'List the channels of a watchlist, and how each does',
    answers: {
      200: {
        description: 'The channels.',
        schema: ChannelList,
        example: examples.channelList,
      },
    },
    problems: ['not_found', 'unreadable'],
  },
  'GET /v1/watchlists/{watchlist}/channels/{channel}': {
    id: 'getChannel',
    tag: 'Channels',
    summary: 'Read one channel of a watchlist, and how it does',
    answers: {
      200: {
        description: 'The channel.',
        schema: ChannelOfList,
        example: examples.channelOfList,
      },
    },
    problems: ['not_found', 'unreadable'],
  },
  'POST /v1/watchlists/{watchlist}/channels/{channel}/test': {
    id: 'testChannel',
    tag: 'Channels',
    summary: 'Send a sample to one channel',
    description:
      'It goes to that channel alone, at once, however the channel has done so far. One that is off is on again when it takes the sample.',
    answers: {
      202: {
        description: 'The sample is on its way.',
        schema: TestAnswer,
        headers: { Location: 'The path of the sample, which reports what became of it.' },
        example: examples.channelTest,
      },
    },
    problems: ['not_found', 'unreadable'],
  },
  'POST /v1/watchlists/{watchlist}/channels/{channel}/confirm': {
    id: 'confirmChannel',
    tag: 'Channels',
    summary: 'Confirm an email by the link of the mail that asks for it',
    description:
      'A subscription confirmed in this way cannot be ended by the link at the foot of a mail, which mail scanners may open.',
    bodies: { 'a link': examples.confirmationBody },
    answers: {
      200: {
        description: 'The channel, confirmed.',
        schema: StandingAnswer,
        example: examples.confirmedChannel,
      },
    },
    problems: ['not_found', 'unreadable', 'not_confirmable'],
  },
});

export const channelOperations = withTagsAndKeys(described);
