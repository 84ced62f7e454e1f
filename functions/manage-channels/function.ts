import { channelGroup } from '#shared/domain/messages/groups.ts';
import { apiFunction } from '#shared/http/api-function.ts';
import type { Basics, Outside } from '#shared/outside/outside.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { createUsageStore } from '#shared/stores/usage-store.ts';
import { composeManageChannels } from './compose.ts';
import { ManageChannelsEnvironment } from './environment.ts';
import { channelRoutes, manageChannels } from './routes.ts';

export function manageChannelsFunction(
  outside: Basics & Pick<Outside, 'senderTo' | 'table' | 'topics'>,
) {
  const { earlyAbortMs, now, senderTo } = outside;
  const environment = readEnvironment(ManageChannelsEnvironment, outside.variables);
  const log = outside.logOf('manage-channels');
  const table = outside.table(environment.WATCH_TABLE);
  const topics = outside.topics({
    stackTopicArn: environment.STACK_TOPIC_ARN,
    prefix: environment.TOPIC_PREFIX,
  });
  const ports = composeManageChannels({
    now,
    newNumber: outside.uniqueNumber,
    table,
    topicOf: topics.topicOf,
    confirm: topics.confirm,
    sendToChannels: senderTo(environment.CHANNELS_QUEUE_URL, channelGroup),
  });

  return apiFunction(
    {
      earlyAbortMs,
      now,
      log,
      environment,
      routes: channelRoutes,
      usage: createUsageStore(table, 'api'),
    },
    (event) => manageChannels(ports, event),
  );
}
