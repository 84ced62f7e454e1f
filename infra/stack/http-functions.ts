import { join } from 'node:path';
import { Duration, Stage as Synthesis } from 'aws-cdk-lib';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type * as z from 'zod';
import { ActOnAlertEnvironment } from '#functions/act-on-alert/environment.ts';
import { DrawChartEnvironment } from '#functions/draw-chart/environment.ts';
import { ManageChannelsEnvironment } from '#functions/manage-channels/environment.ts';
import { ManageKeysEnvironment } from '#functions/manage-keys/environment.ts';
import { ServeApiEnvironment } from '#functions/serve-api/environment.ts';
import { ServeNftDataEnvironment } from '#functions/serve-nft-data/environment.ts';
import { ServePagesEnvironment } from '#functions/serve-pages/environment.ts';
import type { HttpFunction } from '#infra/http/route-tables.ts';
import { documentPages } from '#infra/openapi/site.ts';
import { consolePages } from '#infra/pages/console.ts';
import { writeSite } from '#infra/pages/write-site.ts';
import type { ActorQueue } from './actor-queue.ts';
import type { Alerting } from './alerting.ts';
import { CONCURRENCY } from './concurrency.ts';
import { filesFolder, NodeFunction, type NodeFunctionProps } from './node-function.ts';
import { writeRenderer } from './renderer-files.ts';
import type { Stage } from './stages.ts';
import {
  allProvidersVariables,
  cadenceVariables,
  keyEndVariables,
  keyParametersOf,
} from './upstream-variables.ts';
import type { ItemRights, WatchTable } from './watch-table.ts';

/** The resources that the functions of the API use. */
export type HttpFunctionProps = {
  readonly stage: Stage;
  readonly table: WatchTable;
  readonly contracts: ActorQueue;
  readonly lists: ActorQueue;
  readonly alerting: Alerting;
  readonly missedTicks: IQueue;
};

/** A function of the API with its variables and all of its permissions. */
type Row<Environment extends z.ZodObject> = Pick<
  NodeFunctionProps<Environment>,
  'environmentSchema' | 'memorySize' | 'reserved'
> & {
  /** The id of the function's construct. */
  readonly id: string;
  /** `files` is the folder in which the function finds the output of `writeFiles`. */
  readonly environment: (
    props: HttpFunctionProps,
    files: string,
  ) => NodeFunctionProps<Environment>['environment'];
  readonly writeFiles?: (folder: string) => void;
  readonly timeout?: Duration;
  readonly items: ItemRights;
  readonly readsDueIndex?: boolean;
  readonly parameters?: (stage: Stage) => readonly string[];
  readonly sendsTo?: (props: HttpFunctionProps) => readonly ActorQueue[];
  readonly readsDepthsOf?: (props: HttpFunctionProps) => readonly IQueue[];
  readonly listTopics?: readonly string[];
};

/** API Gateway gives up after 29 seconds, so a later response would reach no client. */
const belowGatewayTimeout = Duration.seconds(25);

/** Maximum wait for links and pictures, while somebody reads a message. */
const whileSomebodyLooks = Duration.seconds(10);

/** Memory of functions whose few reads and writes take less time than the cold start. */
const MOSTLY_STARTS = 512;

const cors = (stage: Stage) => ({ CORS_ORIGINS: JSON.stringify(stage.corsOrigins) });
const limits = (stage: Stage) => ({ API_UNITS_PER_MINUTE: String(stage.apiUnitsPerMinute) });

/** Creates a function of the API in a scope, from its folder in `functions`. */
type Maker = (
  scope: Construct,
  folder: HttpFunction,
  props: HttpFunctionProps,
) => NodeFunction<z.ZodObject>;

export const HTTP_FUNCTION_MAKERS: Readonly<Record<HttpFunction, Maker>> = {
  // Serves lists, watches, alerts, contracts and operations. This function cannot decrypt a secret
  // or write an API key.
  'serve-api': row({
    id: 'ServeApi',
    environmentSchema: ServeApiEnvironment,
    environment: ({ stage, table, contracts, lists, alerting: { channels }, missedTicks }) => ({
      ...cors(stage),
      WATCH_TABLE: table.tableName,
      CONTRACTS_QUEUE_URL: contracts.queue.queueUrl,
      LISTS_QUEUE_URL: lists.queue.queueUrl,
      CHANNELS_QUEUE_URL: channels.queue.queueUrl,
      CONTRACTS_DEAD_LETTERS_URL: contracts.deadLetters.queueUrl,
      LISTS_DEAD_LETTERS_URL: lists.deadLetters.queueUrl,
      CHANNELS_DEAD_LETTERS_URL: channels.deadLetters.queueUrl,
      MISSED_TICKS_URL: missedTicks.queueUrl,
      ...limits(stage),
      NFT_DATA_UNITS_PER_MINUTE: String(stage.nftDataUnitsPerMinute),
      CHANNEL_PUBLIC_KEY_PARAMETER: stage.channelPublicKeyParameter,
      PUSH_PUBLIC_KEY_PARAMETER: stage.pushPublicKeyParameter,
      WEBHOOK_DESTINATIONS: stage.webhookDestinations,
      WEBHOOK_PORTS: JSON.stringify(stage.webhookPorts),
      ...cadenceVariables(stage),
      ...allProvidersVariables(stage),
      ...keyEndVariables(stage),
    }),
    // The largest list has ten thousand watches. Such a list, or a preview, needs processor time
    // while a person waits.
    memorySize: 1024,
    items: {
      'USAGE#*': ['GetItem', 'PutItem'],
      'IDEMPOTENCY#*': ['GetItem', 'PutItem'],
      'TENANT#*': ['GetItem', 'PutItem', 'Query'],
      'JOBS#*': ['GetItem', 'PutItem', 'Query'],
      'CHANGES#*': ['GetItem', 'PutItem', 'Query'],
      'WATCHES#*': ['GetItem', 'Query'],
      'CONTRACTS#*': ['GetItem', 'Query'],
      'HISTORY#*': ['Query'],
      'LIST#*': ['GetItem', 'Query'],
      'COLLECTION#*': ['GetItem', 'PutItem'],
      'DISPATCH#*': ['GetItem'],
      // Read and written because lookups of collections reserve calls to the provider.
      UPSTREAM: ['GetItem', 'PutItem'],
    },
    readsDueIndex: true,
    parameters: (stage) => [
      stage.channelPublicKeyParameter,
      stage.pushPublicKeyParameter,
      ...keyParametersOf(stage),
    ],
    sendsTo: ({ contracts, lists }) => [contracts, lists],
    readsDepthsOf: ({ contracts, lists, alerting, missedTicks }) => [
      ...[contracts, lists, alerting.channels].flatMap(({ queue, deadLetters }) => [
        queue,
        deadLetters,
      ]),
      missedTicks,
    ],
  }),

  'manage-channels': row({
    id: 'ManageChannels',
    environmentSchema: ManageChannelsEnvironment,
    environment: ({ stage, table, alerting }) => ({
      ...cors(stage),
      WATCH_TABLE: table.tableName,
      CHANNELS_QUEUE_URL: alerting.channels.queue.queueUrl,
      STACK_TOPIC_ARN: alerting.stackTopic.topicArn,
      TOPIC_PREFIX: alerting.listTopics,
      ...limits(stage),
    }),
    memorySize: MOSTLY_STARTS,
    items: {
      'USAGE#*': ['GetItem', 'PutItem'],
      'IDEMPOTENCY#*': ['GetItem', 'PutItem'],
      'TENANT#*': ['GetItem', 'PutItem', 'Query'],
      'JOBS#*': ['Query'],
      'CHANGES#*': ['PutItem'],
      'LIST#*': ['PutItem'],
      'INBOX#*': ['PutItem', 'Query'],
      'INTENT#*': ['PutItem'],
    },
    sendsTo: ({ alerting }) => [alerting.channels],
    listTopics: ['sns:ConfirmSubscription', 'sns:GetSubscriptionAttributes'],
  }),

  // This is the only function that writes API keys.
  'manage-keys': row({
    id: 'ManageKeys',
    environmentSchema: ManageKeysEnvironment,
    environment: ({ stage, table }) => ({
      ...cors(stage),
      WATCH_TABLE: table.tableName,
      ...limits(stage),
    }),
    memorySize: MOSTLY_STARTS,
    items: {
      'USAGE#*': ['GetItem', 'PutItem'],
      'CHANGES#*': ['PutItem'],
      KEYS: ['GetItem', 'PutItem', 'Query'],
    },
  }),

  'serve-nft-data': row({
    id: 'ServeNftData',
    environmentSchema: ServeNftDataEnvironment,
    environment: ({ stage, table }) => ({
      ...cors(stage),
      WATCH_TABLE: table.tableName,
      NFT_DATA_SOURCES: JSON.stringify(stage.nftDataSources),
      NFT_DATA_UNITS_PER_MINUTE: String(stage.nftDataUnitsPerMinute),
      ...allProvidersVariables(stage),
    }),
    // Cached responses take up to 64 MB, and each response in progress takes several times 5 MB.
    memorySize: 512,
    items: {
      UPSTREAM: ['GetItem', 'PutItem'],
      'ANSWER#*': ['GetItem', 'PutItem'],
      'USAGE#*': ['GetItem', 'PutItem'],
      'TOKENS#*': ['BatchGetItem'],
      'TRAIT#*': ['Query'],
      'TRADES#*': ['GetItem', 'Query'],
      'HISTORY#*': ['Query'],
    },
    parameters: keyParametersOf,
  }),

  'act-on-alert': row({
    id: 'ActOnAlert',
    environmentSchema: ActOnAlertEnvironment,
    environment: ({ stage, table, lists }) => ({
      WATCH_TABLE: table.tableName,
      LISTS_QUEUE_URL: lists.queue.queueUrl,
      LINK_KEY_PARAMETER: stage.linkKeyParameter,
    }),
    timeout: whileSomebodyLooks,
    memorySize: MOSTLY_STARTS,
    items: {
      'TENANT#*': ['GetItem', 'PutItem'],
      'JOBS#*': ['GetItem', 'PutItem'],
      'CHANGES#*': ['PutItem'],
      'WATCHES#*': ['GetItem'],
      'LIST#*': ['GetItem'],
    },
    parameters: (stage) => [stage.linkKeyParameter],
    sendsTo: ({ lists }) => [lists],
  }),

  'draw-chart': row({
    id: 'DrawChart',
    reserved: CONCURRENCY.drawChart,
    environmentSchema: DrawChartEnvironment,
    environment: ({ stage, table }, files) => ({
      ...cors(stage),
      WATCH_TABLE: table.tableName,
      LINK_KEY_PARAMETER: stage.linkKeyParameter,
      RENDERER_FOLDER: files,
    }),
    writeFiles: writeRenderer,
    timeout: whileSomebodyLooks,
    // Lambda gives one full processor at this size. With less memory, a chart takes longer at the
    // same cost.
    memorySize: 1769,
    items: { 'HISTORY#*': ['Query'] },
    parameters: (stage) => [stage.linkKeyParameter],
  }),

  // This function serves the files in its bundle.
  'serve-pages': row({
    id: 'ServePages',
    environmentSchema: ServePagesEnvironment,
    environment: ({ stage }, files) => ({ ...cors(stage), SITE_FOLDER: files }),
    writeFiles: (folder) => writeSite(folder, [...documentPages(), ...consolePages()]),
    timeout: Duration.seconds(5),
    memorySize: 512,
    items: {},
  }),
};

function row<Environment extends z.ZodObject>({
  id,
  environment,
  writeFiles,
  timeout = belowGatewayTimeout,
  items,
  readsDueIndex = false,
  parameters = () => [],
  sendsTo = () => [],
  readsDepthsOf = () => [],
  listTopics = [],
  ...same
}: Row<Environment>): Maker {
  return (scope, folder, props) => {
    const { stage, table, alerting } = props;
    const files = join(Synthesis.of(scope)?.outdir ?? '', folder);
    writeFiles?.(files);
    const made = new NodeFunction(scope, id, {
      ...same,
      ...{ folder, stage, timeout },
      environment: environment(props, filesFolder(scope, files)),
      ...(writeFiles && { files }),
    });
    table.grantItems(made, items);
    if (readsDueIndex) table.grantDueIndex(made);
    for (const name of parameters(stage)) made.allowParameter(name);
    for (const queue of sendsTo(props)) queue.grantSend(made);
    for (const queue of readsDepthsOf(props)) queue.grant(made, 'sqs:GetQueueAttributes');
    if (listTopics.length > 0) alerting.allowOnListTopics(made, [...listTopics]);
    return made;
  };
}
