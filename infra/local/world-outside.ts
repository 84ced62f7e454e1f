import { randomBytes } from 'node:crypto';
import { createDestinations } from '#shared/channels/destinations.ts';
import type { AlertTopics, AlertTopicsSettings } from '#shared/clients/alert-topics.ts';
import type { SendEmail } from '#shared/clients/email-sender.ts';
import { createHttpClient } from '#shared/clients/http-client.ts';
import type { QueueDepth } from '#shared/clients/queue-depths.ts';
import { MissingSecretError } from '#shared/clients/secrets.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { Outgoing } from '#shared/domain/messages/outgoing.ts';
import { onLambda } from '#shared/outside/on-lambda.ts';
import type { Outside } from '#shared/outside/outside.ts';
import { holdingsReader } from '#shared/providers/collection-search.ts';
import { createOthers } from '#shared/providers/create-others.ts';
import { createUpstream } from '#shared/providers/create-upstream.ts';
import { createLog } from '#shared/runtime/log.ts';
import { uniqueNumber } from '#shared/runtime/unique-number.ts';
import type { BulkTable } from '#shared/stores/bulk-table.ts';

/** The queues of a stack in this process, by URL. */
export type WorldQueues = {
  readonly send: (
    queueUrl: string,
    messages: readonly (Outgoing<unknown> & { readonly group: string })[],
  ) => Promise<void>;
  readonly depth: (queueUrl: string) => QueueDepth;
};

/** The clocks, stores and services that a stack in this process uses. */
export type WorldParts = {
  readonly now: () => Instant;
  readonly wallClock: () => Instant;
  readonly sleepUntil: Outside['sleepUntil'];
  readonly table: BulkTable;
  readonly queues: WorldQueues;
  readonly topics: (settings: AlertTopicsSettings) => AlertTopics;
  readonly sendEmail: SendEmail;
  /** SecureStrings by name. They are read at each request, so that they can be added later. */
  readonly parameters: ReadonlyMap<string, string>;
  readonly print: (functionName: string, line: string) => void;
  /**
   * Makes each call of a function to the table, a queue, a topic or a server. `port` is the name of
   * the called operation.
   */
  readonly call: <Result>(port: string, work: () => Promise<Result>) => Promise<Result>;
};

/** The ports of the functions of a stack in this process. */
export function worldOutside(
  { queues, parameters, print, sendEmail, topics, call, ...parts }: WorldParts,
  variables: Outside['variables'],
): Outside {
  /** A proxy of a port that makes all its asynchronous operations through `call`. */
  const through = <Port extends object>(name: string, port: Port, immediate?: keyof Port): Port =>
    new Proxy(port, {
      get: (target, member) => {
        const found: unknown = Reflect.get(target, member);
        if (typeof found !== 'function' || member === immediate) return found;
        return (...given: unknown[]) =>
          call(`${name}.${String(member)}`, async () => Reflect.apply(found, target, given));
      },
    });
  const table = through('table', parts.table);
  return {
    ...parts,
    variables,
    earlyAbortMs: onLambda.earlyAbortMs,
    random: Math.random,
    randomBytes,
    uniqueNumber,
    httpClient: (...given) => through('http', createHttpClient(...given)),
    logOf: (name) => createLog(name, { now: parts.now, print: (line) => print(name, line) }),
    table: () => table,
    bulkTable: () => table,
    senderTo: (queueUrl, groupOf) => (messages) =>
      call('queue.send', () =>
        queues.send(
          queueUrl,
          messages.map((sent) => ({ ...sent, group: groupOf(sent.message) })),
        ),
      ),
    queueDepth: async (queueUrl) => queues.depth(queueUrl),
    secret: (name) => async () => {
      const value = parameters.get(name);
      if (value === undefined) throw new MissingSecretError(`there is no parameter ${name}`);
      return value;
    },
    topics: (settings) => through('topics', topics(settings), 'topicOf'),
    emailSender: () => (email, signal) => call('email.send', () => sendEmail(email, signal)),
    destinations: createDestinations,
    upstream: createUpstream,
    otherUpstreams: createOthers,
    holdingsReader,
  };
}
