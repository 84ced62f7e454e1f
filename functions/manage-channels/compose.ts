import { channelGroup } from '#shared/domain/messages/groups.ts';
import type { Basics, Outside } from '#shared/outside/outside.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { createChangeCommit } from '#shared/stores/change-commit.ts';
import { createChannelStore } from '#shared/stores/channel-store.ts';
import { createInboxStore } from '#shared/stores/inbox-store.ts';
import { createJobStore } from '#shared/stores/job-store.ts';
import { createKeyedRequestStore } from '#shared/stores/keyed-request-store.ts';
import { createPostIntentStore } from '#shared/stores/post-intent-store.ts';
import { createWatchlistStore } from '#shared/stores/watchlist-store.ts';
import { createMessagesTo } from '#shared/use-cases/messages-to.ts';
import { ManageChannelsEnvironment } from './environment.ts';
import type { ManageChannelsPorts } from './ports.ts';

export type ManageChannelsOutside = Basics & Pick<Outside, 'senderTo' | 'table' | 'topics'>;

/** Creates the ports of one Lambda instance. */
export function composeManageChannels(outside: ManageChannelsOutside) {
  const environment = readEnvironment(ManageChannelsEnvironment, outside.variables);
  const table = outside.table(environment.WATCH_TABLE);
  const topics = outside.topics({
    stackTopicArn: environment.STACK_TOPIC_ARN,
    prefix: environment.TOPIC_PREFIX,
  });
  const watchlists = createWatchlistStore(table);
  const channels = createChannelStore(table);
  const inbox = createInboxStore(table);
  const requests = createKeyedRequestStore(table);
  const ports: ManageChannelsPorts = {
    now: outside.now,
    newNumber: outside.uniqueNumber,
    newVersion: outside.uniqueNumber,
    putPostIntent: createPostIntentStore(table).put,
    messagesTo: createMessagesTo(watchlists.get),
    topicOf: topics.topicOf,
    confirm: topics.confirm,
    sendToChannels: outside.senderTo(environment.CHANNELS_QUEUE_URL, channelGroup),
    getRequest: requests.get,
    putRequest: requests.put,
    getWatchlist: watchlists.get,
    getChannel: channels.get,
    putChannel: channels.put,
    channelsOfList: channels.ofList,
    countPendingChanges: createJobStore(table).countContracts,
    commitChange: createChangeCommit(table),
    oldestInInbox: inbox.oldest,
  };
  return { ports, table, environment };
}
