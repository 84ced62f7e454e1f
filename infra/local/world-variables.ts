import type { Stage } from '#infra/stack/stages.ts';
import {
  allProvidersVariables,
  cadenceVariables,
  keyEndVariables,
} from '#infra/stack/upstream-variables.ts';

/** The queues of a stack in this process, by the last part of their URLs. */
export const QUEUES = ['contracts', 'lists', 'channels'] as const;
export type QueueName = (typeof QUEUES)[number];

export function queueUrl(name: QueueName | `dead-${QueueName}` | 'missed-ticks'): string {
  return `http://queues.local/${name}`;
}

/** The variables of all functions for a stage; each function reads only its own. */
export function worldVariables(
  stage: Stage,
  { publicUrl }: { readonly publicUrl: string },
): Readonly<Record<string, string>> {
  return {
    STAGE: stage.name,
    WATCH_TABLE: 'watches',
    CONTRACTS_QUEUE_URL: queueUrl('contracts'),
    LISTS_QUEUE_URL: queueUrl('lists'),
    CHANNELS_QUEUE_URL: queueUrl('channels'),
    CONTRACTS_DEAD_LETTERS_URL: queueUrl('dead-contracts'),
    LISTS_DEAD_LETTERS_URL: queueUrl('dead-lists'),
    CHANNELS_DEAD_LETTERS_URL: queueUrl('dead-channels'),
    MISSED_TICKS_URL: queueUrl('missed-ticks'),
    STACK_TOPIC_ARN: `arn:aws:sns:us-east-1:000000000000:alerts-of-floorwatch-${stage.name}`,
    TOPIC_PREFIX: `floorwatch-${stage.name}-`,
    UNDELIVERED_QUEUE_ARN: 'arn:aws:sqs:us-east-1:000000000000:undelivered',
    STACK_SLACK: stage.slackWebhookParameter === undefined ? 'off' : 'on',
    ...(stage.slackWebhookParameter && { SLACK_WEBHOOK_PARAMETER: stage.slackWebhookParameter }),
    ...(stage.emailSender && {
      EMAIL_SENDER: stage.emailSender,
      EMAIL_CONFIGURATION_SET: 'local',
    }),
    OPERATOR_ALERTS: stage.operatorAlerts,
    CHAT_ORIGINS: JSON.stringify(stage.chatOrigins),
    CHANNEL_KEY_PARAMETER: stage.channelKeyParameter,
    CHANNEL_PUBLIC_KEY_PARAMETER: stage.channelPublicKeyParameter,
    PUSH_KEY_PARAMETER: stage.pushKeyParameter,
    PUSH_PUBLIC_KEY_PARAMETER: stage.pushPublicKeyParameter,
    LINK_KEY_PARAMETER: stage.linkKeyParameter,
    WEBHOOK_DESTINATIONS: stage.webhookDestinations,
    WEBHOOK_PORTS: JSON.stringify(stage.webhookPorts),
    NFT_DATA_SOURCES: JSON.stringify(stage.nftDataSources),
    NFT_DATA_UNITS_PER_MINUTE: String(stage.nftDataUnitsPerMinute),
    API_UNITS_PER_MINUTE: String(stage.apiUnitsPerMinute),
    CORS_ORIGINS: JSON.stringify(stage.corsOrigins),
    PUBLIC_URL: publicUrl,
    ...cadenceVariables(stage),
    ...allProvidersVariables(stage),
    ...keyEndVariables(stage),
  };
}
