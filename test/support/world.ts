import type { SQSRecord } from 'aws-lambda';
import type * as z from 'zod';
import { composeDeliverMessages } from '#functions/deliver-messages/compose.ts';
import { composePollPrices } from '#functions/poll-prices/compose.ts';
import { composeRunContracts } from '#functions/run-contracts/compose.ts';
import { composeRunJobs } from '#functions/run-jobs/compose.ts';
import { composeServeApi } from '#functions/serve-api/compose.ts';
import {
  deleteWatchlist,
  nextRevision,
  replaceWatchlist,
} from '#functions/serve-api/watchlists/change-watchlist.ts';
import { composeWakeWork } from '#functions/wake-work/compose.ts';
import { createMemoryTable, type MemoryTable } from '#infra/local/memory-table.ts';
import { createFunctions, type FunctionName, SCHEDULED } from '#infra/local/world-functions.ts';
import { QUEUES, queueUrl } from '#infra/local/world-variables.ts';
import { isPosted } from '#shared/channels/channel.ts';
import type { Destination, Destinations } from '#shared/channels/destination.ts';
import { createDestinations, type DestinationClients } from '#shared/channels/destinations.ts';
import type { HttpClient, HttpRequest, HttpResponse } from '#shared/clients/http-client.ts';
import { MissingSecretError } from '#shared/clients/secrets.ts';
import { isOfEpisode, type Silences } from '#shared/domain/alerting/acknowledgement.ts';
import type { Alert } from '#shared/domain/alerting/alert.ts';
import type { Notification } from '#shared/domain/alerting/notification.ts';
import type { ChatAnswer } from '#shared/domain/channels/chat-answer.ts';
import type { OperatorAlerts } from '#shared/domain/channels/operator-alerts.ts';
import type { Subscriber, Subscriptions } from '#shared/domain/channels/subscriber.ts';
import { type Contract, type ContractKey, contractKey } from '#shared/domain/market/contract.ts';
import { type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import type {
  FloorPage,
  FloorPoint,
  FloorQuery,
  LowestTrade,
  LowestWay,
  Outcome,
} from '#shared/domain/market/upstream.ts';
import type { HoldingsPage } from '#shared/domain/market/wallet.ts';
import type { Outgoing } from '#shared/domain/messages/outgoing.ts';
import type { UpstreamLimits } from '#shared/domain/polling/upstream-limits.ts';
import { UnreadableError } from '#shared/domain/unreadable.ts';
import { CONTACT_POINTS, noContactPoints } from '#shared/domain/watchlists/contact-points.ts';
import type { Mute } from '#shared/domain/watchlists/mute.ts';
import { WatchlistBody } from '#shared/domain/watchlists/watchlist-body.ts';
import type { Outside } from '#shared/outside/outside.ts';
import { createAcknowledgementStore } from '#shared/stores/acknowledgement-store.ts';
import { createAlertStore } from '#shared/stores/alert-store.ts';
import { createCadenceStore } from '#shared/stores/cadence-store.ts';
import { createChangeStore } from '#shared/stores/change-store.ts';
import { createChannelStore } from '#shared/stores/channel-store.ts';
import { createContractStore } from '#shared/stores/contract-store.ts';
import { createHistoryStore } from '#shared/stores/history-store.ts';
import { createInboxStore } from '#shared/stores/inbox-store.ts';
import { createJobStore } from '#shared/stores/job-store.ts';
import { createRateLimiterStore } from '#shared/stores/rate-limiter-store.ts';
import type { Table } from '#shared/stores/table.ts';
import { createWatchStore } from '#shared/stores/watch-store.ts';
import { createWatchlistStore } from '#shared/stores/watchlist-store.ts';
import { acknowledgeEpisode } from '#shared/use-cases/acknowledge-episode.ts';
import { addMute, liftMute } from '#shared/use-cases/change-mutes.ts';
import type { WalletRead } from '#shared/use-cases/read-wallet.ts';
import { noteRequest } from '#shared/use-cases/request-count.ts';
import { evenCosts } from '#test/support/even-costs.ts';
import { anOutside, NO_TOPICS, variablesOf } from './outside.ts';
import { BY, own } from './own.ts';

/** A function was killed at a port call; earlier calls have taken effect, later ones have not. */
export class Killed extends Error {}

/** All calls through ports by name, in order, and the call after which a function is killed. */
type CallLog = {
  readonly calls: string[];
  /** Each invocation of a function, with the number of earlier calls. */
  readonly starts: { readonly name: FunctionName; readonly at: number }[];
  /** Kills the function once, after the call with this number. */
  killAfter: number | undefined;
};

export type World = ReturnType<typeof createWorld>;

type Answers = {
  /** An array of floors is treated as the last page. */
  floor: (
    contract: ContractKey,
    now: Instant,
    query: FloorQuery,
  ) => Outcome<readonly FloorPoint[] | FloorPage>;
  lowest: (
    contract: ContractKey,
    days: number,
    now: Instant,
    way: LowestWay,
  ) => Outcome<LowestTrade>;
  wallet: (address: string) => WalletRead;
  /**
   * The answer of a destination to a notification; `destinationId` is `stack-topic` or names a
   * channel.
   */
  channel: (destinationId: string, notification: Notification) => ChatAnswer;
  /** The answer of a webhook to a challenge. */
  proof: () => ChatAnswer;
};

export const TENANT = 'acme';
const GENEROUS: UpstreamLimits = {
  callsPerSecond: 100,
  budgetPerDay: 1_000_000,
  budgetPerMonth: 30_000_000,
  provider: 'nft-data',
  costs: evenCosts(1),
  shares: { polling: 60, interface: 20 },
};

/** Log events that no use case reports. */
const OWN_LINES: ReadonlySet<string> = new Set([
  ...['invocation_finished', 'invocation_failed', 'prices_polled', 'work_woken'],
  'links_left_out',
]);

/**
 * All functions in one process. The functions share a table in memory, queues that behave like FIFO
 * queues, and a clock that only tests advance.
 */
export function createWorld({
  start = Date.parse('2026-01-05T12:00:00Z'),
  cadenceMinutes = 5,
  limits = GENEROUS,
  others = [],
  operatorAlerts = 'all',
  reached = (table) => table,
  receiver = async () => ({ status: 200, headers: {}, body: 'ok' }),
}: {
  start?: Instant;
  cadenceMinutes?: number;
  limits?: UpstreamLimits;
  /** The providers in addition to the main one. */
  others?: ReturnType<Outside['otherUpstreams']>;
  operatorAlerts?: OperatorAlerts;
  /** Wraps the table. */
  reached?: (table: MemoryTable) => Table;
  /** The answers of chats and webhooks. */
  receiver?: (request: HttpRequest) => Promise<HttpResponse>;
} = {}) {
  const memory = createMemoryTable();
  const log: CallLog = { calls: [], starts: [], killAfter: undefined };
  /** The alerts that each destination received, and the notifications that contained them. */
  const published: { readonly destinationId: string; readonly alert: Alert }[] = [];
  /** The posts to chats and webhooks. */
  const posts: { readonly url: string; readonly body: string }[] = [];
  const notifications: { readonly destinationId: string; readonly notification: Notification }[] =
    [];
  const reports: { readonly event: string; readonly fields: Readonly<Record<string, unknown>> }[] =
    [];
  const answers: Answers = {
    floor: () => ({ kind: 'empty' }),
    lowest: () => ({ kind: 'empty' }),
    wallet: () => ({ kind: 'unsupported', reason: 'retired' }),
    channel: () => ({ kind: 'sent' }),
    proof: () => ({ kind: 'sent' }),
  };
  const invocation = { remaining: () => 30_000, remainingToDeliver: () => 30_000 };
  let time = start;
  /** Whether the running function was killed. If so, its other pending calls have no effect. */
  let isDead = false;
  let versions = 0;
  const now = () => time;

  /** Makes a port of a function that counts its calls, and may kill the function. */
  const port =
    <Args extends readonly unknown[], Result>(
      name: string,
      work: (...args: Args) => Promise<Result>,
    ) =>
    async (...args: Args): Promise<Result> => {
      if (isDead) throw new Killed(name);
      log.calls.push(name);
      const isLast = log.killAfter === log.calls.length;
      const result = await work(...args);
      isDead = isDead || isLast;
      if (isDead) throw new Killed(name);
      return result;
    };

  const engine = reached(memory);
  const table: Table = {
    get: port('table.get', engine.get),
    put: port('table.put', engine.put),
    delete: port('table.delete', engine.delete),
    transact: port('table.transact', engine.transact),
    query: port('table.query', engine.query),
    queryThresholdIndex: port('table.queryThresholdIndex', engine.queryThresholdIndex),
    due: port('table.due', engine.due),
  };
  const contracts = createContractStore(table, now);
  const watches = createWatchStore(table);
  const watchlists = createWatchlistStore(table);
  const jobs = createJobStore(table);
  const alerts = createAlertStore(table);
  const acknowledgements = createAcknowledgementStore(table);
  const changes = createChangeStore(table);
  const channels = createChannelStore(table);
  const inbox = createInboxStore(table);
  const rateLimiterStore = createRateLimiterStore(table, 'nft-data');
  const mail: Mail = { sent: 0, lost: undefined, doubled: undefined };
  const queues = {
    contracts: createQueue(now, mail),
    lists: createQueue(now, mail),
    channels: createQueue(now, mail),
  };
  const report = (event: string, fields: Readonly<Record<string, unknown>>) => {
    reports.push({ event, fields });
  };
  const newVersion = () => {
    versions += 1;
    return versions;
  };
  const http: HttpClient = {
    request: async (request) => {
      posts.push({ url: request.url.href, body: String(request.body ?? '') });
      return await receiver(request);
    },
  };
  const destinationsOf = (clients: DestinationClients): Destinations => {
    const real = createDestinations({
      ...clients,
      ...{ httpClient: () => http, destinations: 'public', newChallenge: () => 'a-challenge' },
    });
    const isReal = (destination: Destination) =>
      destination.kind === 'channel' && isPosted(destination.channel);
    return {
      send: async (destination, notification, ...given) => {
        const destinationId =
          destination.kind === 'channel' ? destination.channel.id : destination.kind;
        return await port(`publish.${destinationId}`, async () => {
          const said = answers.channel(destinationId, notification);
          const answer =
            said.kind === 'sent' && isReal(destination)
              ? await real.send(destination, notification, ...given)
              : said;
          if (answer.kind !== 'sent' && answer.kind !== 'accepted') return answer;
          notifications.push({ destinationId, notification });
          const alerts = notification.kind === 'alert' ? [notification.alert] : notification.alerts;
          published.push(...alerts.map((alert) => ({ destinationId, alert })));
          return answer;
        })();
      },
      prove: async ({ channel }) =>
        await port(`prove.${channel.id}`, async () => answers.proof())(),
    };
  };

  /** Errors of messages and requests that a function only logged. */
  const logged: unknown[] = [];
  const outside = anOutside({
    variables: variablesOf({
      ...{ limits, others, operatorAlerts, pollCadenceMinutes: cadenceMinutes },
      ...{ webhookDestinations: 'loopback-only', webhookPorts: [443] },
      slackWebhookParameter: '/floorwatch/dev/slack-webhook',
    }),
    now,
    uniqueNumber: newVersion,
    logOf: () => ({
      info: (event, fields = {}) => {
        if (!OWN_LINES.has(event)) report(event, fields);
      },
      error: (event, fields = {}) => {
        if (event === 'message_failed') logged.push(fields.error);
        else if (!OWN_LINES.has(event)) report(event, fields);
      },
    }),
    table: () => table,
    senderTo: (url, groupOf) => {
      const name = QUEUES.find((one) => queueUrl(one) === url) ?? 'contracts';
      return port(`send.${name}`, (messages) => queues[name].send(messages, groupOf));
    },
    // Messages contain no links if the key that signs them is missing.
    secret: (name) => {
      const isLinkKey = name === outside.variables.LINK_KEY_PARAMETER;
      return isLinkKey
        ? () => Promise.reject(new MissingSecretError(name))
        : anOutside({ variables: outside.variables }).secret(name);
    },
    topics: () => ({
      ...NO_TOPICS,
      hasTopic: async () => true,
      keepSubscribers: port(
        'sns.subscribe',
        async (_list: unknown, subscribers: readonly Subscriber[]): Promise<Subscriptions> =>
          new Map(subscribers.map(({ channel }) => [channel, 'confirmed'])),
      ),
      removeTopics: port('sns.removeTopics', async () => []),
    }),
    destinations: destinationsOf,
    upstream: () => ({
      floorHistory: port('upstream.floor', async (contract: Contract, query: FloorQuery) => {
        noteRequest();
        const outcome = answers.floor(contractKey(contract), time, query);
        if (outcome.kind !== 'ok') return outcome;
        const { value } = outcome;
        return { kind: 'ok' as const, value: 'points' in value ? value : { points: value } };
      }),
      lowestTrade: port(
        'upstream.lowest',
        async (contract: Contract, days: number, way: LowestWay) => {
          noteRequest();
          return answers.lowest(contractKey(contract), days, time, way);
        },
      ),
      answer: async () => ({ kind: 'unsupported', reason: 'retired' }),
    }),
    otherUpstreams: () => others,
    holdingsReader: () =>
      port('upstream.wallet', async (wallet) => holdingsPage(answers.wallet(wallet))),
  });
  const remainingTime = () => invocation.remaining();
  /**
   * Starts new instances of all functions after one was killed; their caches are empty.
   */
  const newInstances = () => ({
    functions: createFunctions(() => outside, {
      begin: (name) =>
        name === 'deliver-messages' ? () => invocation.remainingToDeliver() : remainingTime,
    }),
    runPorts: { ...composeRunContracts(outside).ports, remainingTime },
  });
  let instances = newInstances();
  const managePorts = composeServeApi(outside).watchlists;

  /** Runs a function's work, and returns false if the function was killed. */
  const survives = async (work: () => Promise<unknown>): Promise<boolean> => {
    try {
      await work();
      return true;
    } catch (error) {
      if (error instanceof UnreadableError) {
        report('item_unreadable', { error });
        return true;
      }
      if (!(error instanceof Killed)) throw error;
      isDead = false;
      instances = newInstances();
      return false;
    }
  };

  /** Invokes a function with one message. Throws an error that the function only logs. */
  const handle = (name: FunctionName) => async (queued: Queued) => {
    log.starts.push({ name, at: log.calls.length });
    logged.length = 0;
    await instances.functions[name]({ Records: [recordOf(queued)] });
    if (logged.length > 0) throw logged[0];
  };
  const handlers = [
    { queue: queues.contracts, handle: handle('run-contracts') },
    { queue: queues.lists, handle: handle('run-jobs') },
    { queue: queues.channels, handle: handle('deliver-messages') },
  ];

  /**
   * Handles the messages of the queues, oldest first, until they are empty; a message whose
   * function was killed is delivered again.
   */
  const drain = async () => {
    for (let body = nextOf(handlers); body !== undefined; body = nextOf(handlers)) {
      const { queue, handle, message } = body;
      if (await survives(() => handle(message))) queue.remove();
    }
  };

  const dispatch = async () => {
    time = (Math.floor(time / MINUTE) + 1) * MINUTE;
    for (const name of SCHEDULED) {
      log.starts.push({ name, at: log.calls.length });
      await survives(() => instances.functions[name]({}));
    }
    time += 1;
  };

  return Object.assign(invocation, {
    table: memory,
    log,
    mail,
    answers,
    published,
    notifications,
    posts,
    reports,
    queues,
    ports: {
      manage: managePorts,
      poll: { ...composePollPrices(outside).ports, remainingTime },
      wake: composeWakeWork(outside).ports,
      notify: { ...composeRunJobs(outside).ports, remainingTime },
      deliver: {
        ...composeDeliverMessages(outside).ports,
        remainingTime: () => invocation.remainingToDeliver(),
      },
    },
    stores: {
      contracts,
      watches,
      watchlists,
      jobs,
      alerts,
      acknowledgements,
      changes,
      channels,
      inbox,
      rateLimiter: rateLimiterStore,
      cadences: createCadenceStore(table),
      history: createHistoryStore(table),
    },
    now,
    runContractsPorts: () => instances.runPorts,
    drain,

    /** Advances the clock. */
    pass: (milliseconds: number) => {
      time += milliseconds;
    },

    /** Starts the next minute with a tick. A killed tick is not repeated. */
    dispatch,

    /** Runs the next minute: the tick, and the work that the tick causes. */
    tick: async () => {
      await dispatch();
      await drain();
    },

    /** Writes a list as its owner would, and retries if there was no answer. */
    putList: async (
      body: z.input<typeof WatchlistBody> & { id: string },
      tenant: string = TENANT,
    ) => {
      const id = own({ tenant, id: body.id });
      const write = async () => {
        const before = await watchlists.get(id);
        const after = await nextRevision(managePorts, id, before, WatchlistBody.parse(body));
        await replaceWatchlist(managePorts, BY, before, after);
      };
      while (!(await survives(write)));
    },

    /** Mutes a list, or some of its rules, for a number of minutes from now. */
    mute: async (list: string, minutes: number, given: Partial<Mute> = {}) => {
      const mute = { id: 'mute', by: BY, from: time, until: time + minutes * MINUTE, ...given };
      while (
        !(await survives(() =>
          addMute(managePorts, BY, own({ tenant: TENANT, id: list }), mute, 99),
        ))
      );
    },

    liftMute: async (list: string, id = 'mute') => {
      while (
        !(await survives(() =>
          liftMute(managePorts, BY, own({ tenant: TENANT, id: list }), id, time),
        ))
      );
    },

    /** Acknowledges the open episode of a rule. */
    acknowledge: async (
      list: string,
      rule: string,
      contract: ContractKey,
      silences: Silences = 'reminders',
    ) => {
      const write = async () => {
        const watch = await watches.get(own({ tenant: TENANT, list, rule, contract }));
        if (watch === undefined) return;
        const all = await alerts.ofList(
          { tenant: TENANT, id: list },
          { limit: 100, after: undefined },
        );
        const known = all.entries.find(({ alert }) => isOfEpisode(alert, watch));
        if (known === undefined) return;
        await acknowledgeEpisode(managePorts, BY, known.alert, own(watch), { silences });
      };
      while (!(await survives(write)));
    },

    /** The changes in the audit log, oldest first. */
    auditLog: async () => {
      const { entries } = await changes.ofTenant(TENANT, now(), 1000, undefined);
      return entries.toReversed();
    },

    /** Writes all contact points of the tenant. */
    putContactPoints: async (...channels: z.input<typeof WatchlistBody>['channels'] & object) => {
      const id = own({ tenant: TENANT, id: CONTACT_POINTS });
      const write = async () => {
        const before = (await watchlists.get(id)) ?? noContactPoints(id.tenant);
        const body = WatchlistBody.parse({ name: before.name, channels });
        const after = await nextRevision(managePorts, id, before, body);
        await replaceWatchlist(managePorts, BY, before, after);
      };
      while (!(await survives(write)));
    },

    deleteList: async (id: string) => {
      const write = async () => {
        const list = await watchlists.get({ tenant: TENANT, id });
        if (list !== undefined && !list.deleted) await deleteWatchlist(managePorts, BY, own(list));
      };
      while (!(await survives(write)));
    },
  });
}

type Queued = { readonly group: string; readonly body: string; readonly number: number };

/**
 * Counts sent messages. `lost` is the number of the message to lose, `doubled` of the message to
 * deliver twice.
 */
type Mail = { sent: number; lost: number | undefined; doubled: number | undefined };

/** A FIFO queue of JSON messages. The queue accepts equal messages once within five minutes. */
function createQueue(now: () => Instant, mail: Mail) {
  const waiting: Queued[] = [];
  /** The numbers of sent messages and of requests, each with at most ten messages. */
  const sent = { requests: 0, messages: 0 };
  const seen = new Map<string, Instant>();
  return {
    waiting,
    sent,
    send: async <Message>(
      messages: readonly Outgoing<Message>[],
      groupOf: (message: Message) => string,
    ) => {
      sent.requests += Math.ceil(messages.length / 10);
      for (const { message, deduplication } of messages) {
        const last = seen.get(deduplication);
        if (last !== undefined && now() - last < 5 * MINUTE) continue;
        seen.set(deduplication, now());
        sent.messages += 1;
        mail.sent += 1;
        const { sent: number, lost, doubled } = mail;
        const queued = { group: groupOf(message), body: JSON.stringify(message), number };
        if (number !== lost) waiting.push(queued);
        if (number === doubled) waiting.push(queued);
      }
    },
    remove: () => {
      waiting.shift();
    },
  };
}

type Handler = {
  readonly queue: { readonly waiting: readonly Queued[]; readonly remove: () => void };
  readonly handle: (queued: Queued) => Promise<void>;
};

function nextOf(handlers: readonly Handler[]) {
  const [oldest] = handlers
    .flatMap(({ queue, handle }) => {
      const [first] = queue.waiting;
      return first === undefined ? [] : [{ queue, handle, message: first }];
    })
    .toSorted((a, b) => a.message.number - b.message.number);
  return oldest;
}

/** A message as Lambda passes it. */
function recordOf({ group, body, number }: Queued): SQSRecord {
  return {
    messageId: `${number}`,
    body,
    attributes: { MessageGroupId: group, ApproximateReceiveCount: '1' },
    messageAttributes: {},
  } as SQSRecord;
}

/** A page of a wallet. Truncated holdings have a cursor; the next page repeats this one. */
function holdingsPage(read: WalletRead): Outcome<HoldingsPage> {
  if (read.kind === 'ok') {
    const { isCut, ...page } = read.holdings;
    return { kind: 'ok', value: isCut ? { ...page, cursor: 'next' } : page };
  }
  if (read.kind === 'no_capacity' || read.kind === 'share_used_up') {
    throw new RangeError(`no provider answers ${read.kind}`);
  }
  return read;
}
