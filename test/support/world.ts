import type * as z from 'zod';
import { composeDeliverMessages } from '#functions/deliver-messages/compose.ts';
import { deliverMessages } from '#functions/deliver-messages/deliver-messages.ts';
import { composeDispatchWork } from '#functions/dispatch-work/compose.ts';
import { dispatchWork } from '#functions/dispatch-work/dispatch-work.ts';
import {
  deleteWatchlist,
  nextRevision,
  replaceWatchlist,
} from '#functions/manage-watchlists/change-watchlist.ts';
import { composeManageWatchlists } from '#functions/manage-watchlists/compose.ts';
import { composeNotifyWatchers } from '#functions/notify-watchers/compose.ts';
import { notifyWatchers } from '#functions/notify-watchers/notify-watchers.ts';
import { composeRunContracts } from '#functions/run-contracts/compose.ts';
import { runContracts } from '#functions/run-contracts/run-contracts.ts';
import { createMemoryTable, type MemoryTable } from '#infra/local/memory-table.ts';
import { isPosted } from '#shared/channels/channel.ts';
import { createChannelSender, createChats } from '#shared/channels/channel-sender.ts';
import type { Destination, Webhook } from '#shared/channels/destination.ts';
import { createSignedWebhooks } from '#shared/channels/webhook/post.ts';
import type { HttpClient, HttpRequest, HttpResponse } from '#shared/clients/http-client.ts';
import { isOfEpisode, type Silences } from '#shared/domain/alerting/acknowledgement.ts';
import type { Alert } from '#shared/domain/alerting/alert.ts';
import type { Notification } from '#shared/domain/alerting/notification.ts';
import type { ChatAnswer } from '#shared/domain/channels/chat-answer.ts';
import type { OperatorAlerts } from '#shared/domain/channels/operator-alerts.ts';
import type { Subscriber, Subscriptions } from '#shared/domain/channels/subscriber.ts';
import { type Contract, type ContractKey, contractKey } from '#shared/domain/market/contract.ts';
import { DAY, type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import type {
  FloorPage,
  FloorPoint,
  FloorQuery,
  LowestTrade,
  LowestWay,
  Outcome,
} from '#shared/domain/market/upstream.ts';
import { ChannelMessage } from '#shared/domain/messages/channel-message.ts';
import { ContractMessage } from '#shared/domain/messages/contract-message.ts';
import { channelGroup, contractGroup, listGroup } from '#shared/domain/messages/groups.ts';
import { ListMessage } from '#shared/domain/messages/list-message.ts';
import type { Outgoing } from '#shared/domain/messages/outgoing.ts';
import type { UpstreamLimits } from '#shared/domain/polling/upstream-limits.ts';
import { UnreadableError } from '#shared/domain/unreadable.ts';
import { CONTACT_POINTS, noContactPoints } from '#shared/domain/watchlists/contact-points.ts';
import type { Mute } from '#shared/domain/watchlists/mute.ts';
import { WatchlistBody } from '#shared/domain/watchlists/watchlist-body.ts';
import { createAcknowledgementStore } from '#shared/stores/acknowledgement-store.ts';
import { createAlertStore } from '#shared/stores/alert-store.ts';
import { createCadenceStore } from '#shared/stores/cadence-store.ts';
import { createChangeJobStore } from '#shared/stores/change-job-store.ts';
import { createChangeStore } from '#shared/stores/change-store.ts';
import { createChannelStore } from '#shared/stores/channel-store.ts';
import { createContractStore } from '#shared/stores/contract-store.ts';
import { createGovernorStore } from '#shared/stores/governor-store.ts';
import { createInboxStore } from '#shared/stores/inbox-store.ts';
import type { Table } from '#shared/stores/table.ts';
import { createWatchStore } from '#shared/stores/watch-store.ts';
import { createWatchlistStore } from '#shared/stores/watchlist-store.ts';
import { acknowledgeEpisode } from '#shared/use-cases/acknowledge-episode.ts';
import { addMute, liftMute } from '#shared/use-cases/change-mutes.ts';
import type { WalletRead } from '#shared/use-cases/read-wallet.ts';
import { madeOf } from '#shared/use-cases/record-change.ts';
import { noteRequest } from '#shared/use-cases/request-count.ts';
import { BY, own } from './own.ts';
import { aQuickSealer } from './sealer.ts';

/** A function was ended at a port call; what it had done is done, what it had not is not. */
export class Killed extends Error {}

/** Every call through a port, by its name, in order; and the death of a function at one of them. */
type CallLog = {
  readonly calls: string[];
  /** Ends the function after the call of this number. Once. */
  killAfter: number | undefined;
};

export type World = ReturnType<typeof createWorld>;

type Answers = {
  /** Points are a page that is the last. */
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
  /** What a destination says to a notification; `stack-topic`, or a channel by its id. */
  channel: (destinationId: string, notification: Notification) => ChatAnswer;
  /** What a webhook says to a challenge. */
  proof: () => ChatAnswer;
};

const TENANT = 'acme';
const GENEROUS: UpstreamLimits = {
  callsPerSecond: 100,
  budgetPerDay: 1_000_000,
  budgetPerMonth: 30_000_000,
  provider: 'nft-data',
  costs: { floor: 1, lowestprice: 1, price: 1, traits: 1 },
  shares: { polling: 60, interface: 20 },
};

/**
 * All functions in one process over one table in memory: their real use cases and stores, queues
 * that behave like FIFO queues, and a clock that stands still until it is moved.
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
  /** The providers beside the first. */
  others?: Parameters<typeof composeRunContracts>[0]['others'];
  operatorAlerts?: OperatorAlerts;
  /** May stand before the table. */
  reached?: (table: MemoryTable) => Table;
  /** What chats and webhooks answer. */
  receiver?: (request: HttpRequest) => Promise<HttpResponse>;
} = {}) {
  const memory = createMemoryTable();
  const log: CallLog = { calls: [], killAfter: undefined };
  /** What each destination took, alert by alert, and in which notifications. */
  const published: { readonly destinationId: string; readonly alert: Alert }[] = [];
  /** What was posted to chats and webhooks. */
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
  const { signal } = new AbortController();
  let time = start;
  let versions = 0;
  const now = () => time;

  /** Makes a port of a function: counted, and possibly the last thing its caller does. */
  const port =
    <Args extends readonly unknown[], Result>(
      name: string,
      work: (...args: Args) => Promise<Result>,
    ) =>
    async (...args: Args): Promise<Result> => {
      log.calls.push(name);
      const isLast = log.killAfter === log.calls.length;
      const result = await work(...args);
      if (isLast) throw new Killed(name);
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
  const changeJobs = createChangeJobStore(table);
  const alerts = createAlertStore(table);
  const acknowledgements = createAcknowledgementStore(table);
  const changes = createChangeStore(table);
  const channels = createChannelStore(table);
  const inbox = createInboxStore(table);
  const governorStore = createGovernorStore(table, 'nft-data');
  const sealer = aQuickSealer();
  const mail: Mail = { sent: 0, lost: undefined, doubled: undefined };
  const queues = {
    contracts: createQueue<Parameters<typeof contractGroup>[0]>(contractGroup, now, mail),
    lists: createQueue(listGroup, now, mail),
    channels: createQueue(channelGroup, now, mail),
  };
  const sendToContracts = port('send.contracts', queues.contracts.send);
  const sendToLists = port('send.lists', queues.lists.send);
  const sendToChannels = port('send.channels', queues.channels.send);
  const report = (event: string, fields: Readonly<Record<string, unknown>>) => {
    reports.push({ event, fields });
  };
  const newVersion = () => {
    versions += 1;
    return versions;
  };
  const http: HttpClient = {
    request: async (request) => {
      posts.push({ url: request.url.href, body: request.body ?? '' });
      return await receiver(request);
    },
  };
  const sendToChannel = createChannelSender({
    open: sealer.open,
    postToChat: createChats({ http, now, destinations: 'public', origins: {} }),
    webhooks: createSignedWebhooks(
      { alerts: http, challenges: http },
      { now, wallClock: now, newChallenge: () => 'a-challenge' },
    ),
  });
  const post = async (
    destination: Destination,
    notification: Notification,
  ): Promise<ChatAnswer> => {
    if (destination.kind !== 'channel') return { kind: 'sent' };
    const { list, channel } = destination;
    if (!isPosted(channel)) return { kind: 'sent' };
    return await sendToChannel(list, channel, notification, signal);
  };
  const send = async (
    destination: Destination,
    notification: Notification,
  ): Promise<ChatAnswer> => {
    const destinationId =
      destination.kind === 'channel' ? destination.channel.id : destination.kind;
    return await port(`publish.${destinationId}`, async () => {
      const said = answers.channel(destinationId, notification);
      const answer = said.kind === 'sent' ? await post(destination, notification) : said;
      if (answer.kind !== 'sent' && answer.kind !== 'accepted') return answer;
      notifications.push({ destinationId, notification });
      const alerts = notification.kind === 'alert' ? [notification.alert] : notification.alerts;
      published.push(...alerts.map((alert) => ({ destinationId, alert })));
      return answer;
    })();
  };

  const runOutside = {
    now,
    sleepUntil: async () => {},
    table,
    limits,
    others,
    upstream: {
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
    },
    sendToContracts,
    sendToLists,
    report,
  };
  /** A function starts anew after each death: what its instance remembered is gone. */
  const newRunPorts = () => ({
    ...composeRunContracts(runOutside),
    remainingTime: () => invocation.remaining(),
  });
  let runPorts = newRunPorts();

  const readWallet = port('upstream.wallet', async (_tenant: string, wallet: string) =>
    answers.wallet(wallet),
  );

  const notifyPorts = {
    ...composeNotifyWatchers({
      now,
      newVersion,
      table,
      configuredCadenceMinutes: cadenceMinutes,
      stackSlack: 'on',
      readWallet,
      readWalletsEvery: DAY,
      operatorAlerts,
      keepSubscribers: port(
        'sns.subscribe',
        async (_list: unknown, subscribers: readonly Subscriber[]): Promise<Subscriptions> =>
          new Map(subscribers.map(({ channel }) => [channel, 'confirmed'])),
      ),
      removeTopics: port('sns.removeTopics', async () => []),
      hasTopic: async () => true,
      sendToContracts,
      sendToChannels,
      report,
    }),
    remainingTime: () => invocation.remaining(),
  };

  const deliverPorts = {
    ...composeDeliverMessages({
      now,
      newVersion,
      sleepUntil: async () => {},
      table,
      stackSlack: 'on',
      messageLinks: async () => ({}),
      send,
      prove: async ({ channel }: Webhook) =>
        await port(`prove.${channel.id}`, async () => answers.proof())(),
      sendToChannels,
      report,
    }),
    remainingTime: () => invocation.remainingToDeliver(),
  };

  const managePorts = composeManageWatchlists({
    now,
    newVersion,
    newNumber: newVersion,
    table,
    configuredCadenceMinutes: cadenceMinutes,
    hasSecondSource: false,
    webhooks: { destinations: 'loopback-only', ports: [443] },
    sealSecret: port('seal', sealer.seal),
    requestUnitsPerMinute: { api: 1200, 'nft-data': 600 },
    takeAddresses: async () => undefined,
    charge: async () => undefined,
    searchCollection: async () => ({ kind: 'unsupported', reason: 'retired' }),
    readWallet,
    sendToContracts,
    sendToLists,
    report,
  });

  const dispatchPorts = composeDispatchWork({
    now,
    sleepUntil: async () => {},
    table,
    cadenceMinutes,
    limits,
    others,
    sendToContracts,
    sendToLists,
    sendToChannels,
  });

  /** Does work of a function; returns whether it lived to its end. */
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
      runPorts = newRunPorts();
      return false;
    }
  };

  const handlers = [
    {
      queue: queues.contracts,
      handle: (body: string) =>
        runContracts(runPorts, ContractMessage.parse(JSON.parse(body)), signal),
    },
    {
      queue: queues.lists,
      handle: (body: string) => notifyWatchers(notifyPorts, ListMessage.parse(JSON.parse(body))),
    },
    {
      queue: queues.channels,
      handle: (body: string) =>
        deliverMessages(deliverPorts, ChannelMessage.parse(JSON.parse(body)), signal),
    },
  ];

  /** Handles what is in the queues, oldest first, until nothing is left; the killed comes again. */
  const drain = async () => {
    for (let body = nextOf(handlers); body !== undefined; body = nextOf(handlers)) {
      const { queue, handle, message } = body;
      if (await survives(() => handle(message))) queue.remove();
    }
  };

  const dispatch = async () => {
    time = (Math.floor(time / MINUTE) + 1) * MINUTE;
    await survives(() => dispatchWork(dispatchPorts, signal));
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
      dispatch: dispatchPorts,
      notify: notifyPorts,
      deliver: deliverPorts,
    },
    stores: {
      contracts,
      watches,
      watchlists,
      changeJobs,
      alerts,
      acknowledgements,
      changes,
      channels,
      inbox,
      governor: governorStore,
      cadences: createCadenceStore(table),
    },
    now,
    runContractsPorts: () => runPorts,
    drain,

    /** Moves the clock. */
    pass: (milliseconds: number) => {
      time += milliseconds;
    },

    /** The next minute begins with a tick. One that dies is not repeated. */
    dispatch,

    /** The next minute: its tick, and all the work that it sets off. */
    tick: async () => {
      await dispatch();
      await drain();
    },

    /** Writes a list as its owner would: again, when the answer did not come. */
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

    /** Mutes a list, or some of its rules, for so many minutes from now. */
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

    /** What the audit log reports changes that were made, oldest first. */
    auditLog: async () => {
      const { entries } = await changes.ofTenant(TENANT, now(), 1000, undefined);
      return (await madeOf(managePorts, entries.map(own))).toReversed();
    },

    /** Writes the contact points of the tenant, all of them. */
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

/** How many messages were sent, and which of them is to be lost or to come twice. */
type Mail = { sent: number; lost: number | undefined; doubled: number | undefined };

/** A FIFO queue: what says the same within five minutes is taken once; JSON, as it travels. */
function createQueue<Message>(
  groupOf: (message: Message) => string,
  now: () => Instant,
  mail: Mail,
) {
  const waiting: Queued[] = [];
  /** What was sent, in how many requests of ten messages at most. */
  const sent = { requests: 0, messages: 0 };
  const seen = new Map<string, Instant>();
  return {
    waiting,
    sent,
    send: async (messages: readonly Outgoing<Message>[]) => {
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
  readonly handle: (body: string) => Promise<void>;
};

function nextOf(handlers: readonly Handler[]) {
  const [oldest] = handlers
    .flatMap(({ queue, handle }) => {
      const [first] = queue.waiting;
      return first === undefined ? [] : [{ queue, handle, message: first.body, at: first.number }];
    })
    .toSorted((a, b) => a.at - b.at);
  return oldest;
}
