import { deliverMessages } from '#functions/deliver-messages/deliver-messages.ts';
import type { DeliverMessagesPorts } from '#functions/deliver-messages/ports.ts';
import { type DispatchWorkPorts, dispatchWork } from '#functions/dispatch-work/dispatch-work.ts';
import { notifyWatchers } from '#functions/notify-watchers/notify-watchers.ts';
import type { NotifyWatchersPorts } from '#functions/notify-watchers/ports.ts';
import type { RunContractsPorts } from '#functions/run-contracts/ports.ts';
import { runContracts } from '#functions/run-contracts/run-contracts.ts';
import { createUpstreamGovernor } from '#shared/clients/upstream-governor.ts';
import type { Notification } from '#shared/domain/alerting/notification.ts';
import { secretsOf } from '#shared/domain/channels/channel.ts';
import type { SealedSecret } from '#shared/domain/channels/channel-secret.ts';
import type { ChatAnswer } from '#shared/domain/channels/chat-answer.ts';
import {
  channelDestinationId,
  type DestinationId,
} from '#shared/domain/channels/destination-id.ts';
import { type ContractKey, contractKey } from '#shared/domain/market/contract.ts';
import { HOUR, type Instant, SECOND } from '#shared/domain/market/instant.ts';
import type {
  FloorPage,
  LowestTrade,
  Outcome as UpstreamOutcome,
} from '#shared/domain/market/upstream.ts';
import type { ChannelMessage } from '#shared/domain/messages/channel-message.ts';
import type {
  ContractMessage,
  SentContractMessage,
} from '#shared/domain/messages/contract-message.ts';
import type { ListMessage } from '#shared/domain/messages/list-message.ts';
import type { UpstreamLimits } from '#shared/domain/polling/upstream-limits.ts';
import { createAcknowledgementStore } from '#shared/stores/acknowledgement-store.ts';
import { createAddressStore } from '#shared/stores/address-store.ts';
import { createAlertStore } from '#shared/stores/alert-store.ts';
import { createChangeJobStore } from '#shared/stores/change-job-store.ts';
import { createChangeStore } from '#shared/stores/change-store.ts';
import { createChannelStore } from '#shared/stores/channel-store.ts';
import { createContractStore } from '#shared/stores/contract-store.ts';
import { createDispatchStore } from '#shared/stores/dispatch-store.ts';
import { createGovernorStore } from '#shared/stores/governor-store.ts';
import { createHistoryStore } from '#shared/stores/history-store.ts';
import { createInboxStore } from '#shared/stores/inbox-store.ts';
import { createKeyedRequestStore } from '#shared/stores/keyed-request-store.ts';
import { createMuteStore } from '#shared/stores/mute-store.ts';
import { createQuotaUsageStore } from '#shared/stores/quota-usage-store.ts';
import { createWatchStore } from '#shared/stores/watch-store.ts';
import { createWatchlistStore } from '#shared/stores/watchlist-store.ts';
import type { UserPorts } from '#test/simulation/actors/users.ts';
import type { Outage } from '#test/simulation/calendar.ts';
import { type Faults, InjectedFaultError } from '#test/simulation/services/faults.ts';
import type { FaultyTable } from '#test/simulation/services/faulty-table.ts';
import type { FifoQueue } from '#test/simulation/services/fifo-queue.ts';
import type { Market } from '#test/simulation/services/market.ts';
import type { Invocation, Sandboxes } from '#test/simulation/services/sandbox.ts';
import type { Stream } from '#test/simulation/services/streams.ts';
import type { Timeline } from '#test/simulation/services/timeline.ts';
import type { Topics } from '#test/simulation/services/topics.ts';
import {
  createUpstreamAdapter,
  type KeyRing,
  type UpstreamCallName,
} from '#test/simulation/services/upstream-adapter.ts';
import { aQuickSealer } from '#test/support/sealer.ts';

/** All that functions reach of the world, whichever of them it is. */
export type FunctionsWorld = {
  readonly timeline: Timeline;
  readonly faults: Faults;
  readonly schedule: Stream;
  readonly sandboxes: Sandboxes;
  readonly table: FaultyTable;
  readonly market: Market;
  readonly outage: Outage | undefined;
  readonly limits: UpstreamLimits;
  readonly cadenceMinutes: number;
  readonly queues: () => Queues;
  /** Receives the calls that an invocation is to make in slots that were planned for it. */
  readonly planned: (by: Invocation, calls: readonly { readonly slot: Instant }[]) => void;
  /** Hears of each call to the upstream as it is made. */
  readonly asked: (contract: ContractKey, by: Invocation) => void;
  readonly keys: KeyRing;
  readonly topics: Topics;
  readonly broken: (invariant: string, what: string) => void;
  /** Hears what the market reports a contract's floors. */
  readonly floorReported: (
    contract: ContractKey,
    outcome: UpstreamOutcome<FloorPage>,
    by: Invocation,
  ) => void;
  /** Receives each answer of the market about the lowest sale of so many days. */
  readonly saleReported: (
    contract: ContractKey,
    days: number,
    outcome: UpstreamOutcome<LowestTrade>,
    by: Invocation,
  ) => void;
  /** Hears of each answer that says "too many", and for how long. */
  readonly throttled: (by: Invocation, seconds: number) => void;
  /** Hears of each notification that arrives. */
  readonly arrived: (
    destinationId: DestinationId,
    notification: Notification,
    by: Invocation,
  ) => void;
  /** Hears of the secrets that a notification was sent with. */
  readonly opened: (destinationId: DestinationId, secrets: readonly string[]) => void;
  /** Hears of each answer of a destination that its function hears. */
  readonly answered: (destinationId: DestinationId, answer: ChatAnswer, by: Invocation) => void;
  readonly reported: (event: string, fields: Readonly<Record<string, unknown>>) => void;
};

export type Queues = {
  readonly contracts: FifoQueue<SentContractMessage>;
  readonly lists: FifoQueue<ListMessage>;
  readonly channels: FifoQueue<ChannelMessage>;
};

/** A loaded function: it does one thing at a time, and remembers what its code remembers. */
export type Instance = {
  readonly dispatch: (by: Invocation) => Promise<unknown>;
  readonly runContracts: (by: Invocation, message: ContractMessage) => Promise<void>;
  readonly notify: (by: Invocation, message: ListMessage) => Promise<void>;
  readonly deliver: (by: Invocation, message: ChannelMessage) => Promise<void>;
  readonly manage: <Result>(
    by: Invocation,
    work: (ports: UserPorts) => Promise<Result>,
  ) => Promise<Result>;
};

const { signal } = new AbortController();

export function createInstance(world: FunctionsWorld, newVersion: () => number): Instance {
  const { timeline, faults, schedule, sandboxes, limits, cadenceMinutes } = world;
  let current: Invocation | undefined;
  const by = (): Invocation => current as Invocation;
  const now = timeline.now;
  const table = world.table.reachedBy(by);
  const contracts = createContractStore(table, now);
  const watches = createWatchStore(table);
  const watchlists = createWatchlistStore(table);
  const changeJobs = createChangeJobStore(table);
  const mutes = createMuteStore(table);
  const quotaUsage = createQuotaUsageStore(table);
  const requests = createKeyedRequestStore(table);
  const history = createHistoryStore(table);
  const alerts = createAlertStore(table);
  const acknowledgements = createAcknowledgementStore(table);
  const addresses = createAddressStore(table);
  const changes = createChangeStore(table);
  const channels = createChannelStore(table);
  const inbox = createInboxStore(table);
  const governorStore = createGovernorStore(table);
  const governor = createUpstreamGovernor(governorStore, 'polling', limits, now);
  const progress = createDispatchStore(table);
  const sealer = aQuickSealer();

  const sender =
    <Message>(name: string, queue: () => FifoQueue<Message>): FifoQueue<Message>['send'] =>
    async (messages) => {
      // As the client does: no call for no message, ten to a call.
      for (let start = 0; start < messages.length; start += 10) {
        const sender = by();
        await sandboxes.call(sender, `send ${name}`, async () => {
          try {
            if (faults.strikes('sendFails')) throw new InjectedFaultError('a queue refuses');
            await queue().send(messages.slice(start, start + 10));
          } catch (error) {
            sender.disturbance ??= 'failed send to a queue';
            throw error;
          }
        });
      }
    };
  const common = {
    now,
    newVersion,
    sleepUntil: (instant: Instant) => sandboxes.sleepUntil(by(), instant),
    remainingTime: () => by().deadline - now(),
    report: world.reported,
    sendToContracts: sender('contracts', () => world.queues().contracts),
    sendToLists: sender('lists', () => world.queues().lists),
    sendToChannels: sender('channels', () => world.queues().channels),
    getWatchlist: watchlists.get,
    getWatch: watches.get,
    putWatch: watches.put,
    watchesOfList: watches.allOfList,
    getContract: contracts.get,
    recordedSince: history.since,
    getChangeJob: changeJobs.get,
    putChangeJobs: changeJobs.put,
    replaceChangeJob: changeJobs.replace,
    settleChangeJob: changeJobs.settle,
    getMutes: mutes.get,
    getAlert: alerts.get,
    putAlert: alerts.put,
    getChannel: channels.get,
    putChannel: channels.put,
    channelsOfList: channels.ofList,
    putInInbox: inbox.put,
    stackSlack: 'off' as const,
  };
  const throughAdapter = createUpstreamAdapter({
    keys: world.keys,
    now,
    broken: world.broken,
    readParameter: (read) => sandboxes.call(by(), 'parameter', async () => read()),
    request: (call, answer) => {
      const latency = faults.strikes('upstreamSlow')
        ? schedule.between(1000, 9000)
        : schedule.between(80, 400);
      return sandboxes.call(by(), `upstream ${call}`, async () => answer(), latency);
    },
  });
  const askedFor = <Value>(
    call: UpstreamCallName,
    contract: ContractKey,
    answer: (by: Invocation) => UpstreamOutcome<Value>,
  ) => {
    const asking = by();
    world.asked(contract, asking);
    const hear = () => {
      const outcome = answer(asking);
      if (outcome.kind === 'throttled') {
        world.throttled(asking, outcome.retryAfterSeconds ?? 0);
      }
      return outcome;
    };
    return throughAdapter(call, hear, signal);
  };

  const runPorts: RunContractsPorts = {
    ...common,
    leaseCalls: governor.lease,
    takeTry: governor.takeTry,
    learnOfCall: governor.learn,
    upstream: {
      floorHistory: (contract, query) =>
        askedFor('floor', contractKey(contract), (by) => {
          const page = world.market.floors(contractKey(contract), query, now());
          // The pages behind the first tell of the past.
          if (query.cursor === undefined) world.floorReported(contractKey(contract), page, by);
          return page;
        }),
      lowestTrade: (contract, days) =>
        askedFor('lowest', contractKey(contract), (by) => {
          const outcome = world.market.lowest(contractKey(contract), days, now());
          world.saleReported(contractKey(contract), days, outcome, by);
          return outcome;
        }),
    },
    putContract: contracts.put,
    recordHistory: history.record,
    watchesReached: watches.reached,
    isWatchedBy: watches.isWatchedBy,
    thresholdIndexesNeeded: watches.thresholdIndexesNeeded,
    deleteWatch: watches.delete,
  };

  const notifyPorts: NotifyWatchersPorts = {
    ...common,
    deleteWatch: watches.delete,
    putWatchlist: watchlists.put,
    watchesOfList: watches.ofList,
    getAcknowledgement: acknowledgements.get,
    expiryJobs: changeJobs.expiries,
    getAddress: addresses.get,
    putAddress: addresses.put,
    hasTopic: async (list) => world.topics.has(list),
    keepSubscribers: (list, subscribers) =>
      sandboxes.call(by(), 'subscribe', async () => {
        if (faults.strikes('destinationFails')) throw new InjectedFaultError('the topic refuses');
        return world.topics.keepSubscribers(list, subscribers);
      }),
  };

  const deliverPorts: DeliverMessagesPorts = {
    ...common,
    prove: ({ list, channel }) => {
      const destinationId = channelDestinationId(list, channel.id);
      const asker = by();
      return sandboxes.call(asker, `publish ${destinationId} challenge`, async () => {
        const answer = answerOf(false, () => {});
        world.answered(destinationId, answer, asker);
        return answer;
      });
    },
    removeChannel: channels.remove,
    oldestInInbox: inbox.oldest,
    nextInInbox: inbox.next,
    namedInInbox: inbox.named,
    removeFromInbox: inbox.remove,
    send: (destination, notification) => {
      const destinationId =
        destination.kind === 'channel'
          ? channelDestinationId(destination.list, destination.channel.id)
          : destination.kind;
      const sender = by();
      const latency = faults.strikes('destinationSlow')
        ? schedule.between(1000, 8000)
        : schedule.between(30, 200);
      const isEmail = destination.kind === 'channel' && destination.channel.kind === 'email';
      const isTopic = destination.kind !== 'channel' || isEmail;
      return sandboxes.call(
        sender,
        `publish ${destinationId} ${notification.kind === 'alert' ? notification.alert.id : notification.id}`,
        async () => {
          if (destination.kind === 'channel') {
            const { list, channel } = destination;
            const place = { tenant: list.tenant, list: list.id, channel: channel.id };
            const open = ({ sealed }: SealedSecret) => sealer.open(place, sealed);
            world.opened(destinationId, await Promise.all(secretsOf(channel).map(open)));
          }
          const hasTopic = !isEmail || world.topics.has(destination.list);
          const answer = hasTopic
            ? answerOf(isTopic, () => world.arrived(destinationId, notification, sender))
            : ({ kind: 'no_topic' } as const);
          world.answered(destinationId, answer, sender);
          return answer;
        },
        latency,
      );
    },
  };

  /** What a destination says to a notification, and whether it arrives. */
  const answerOf = (isTopic: boolean, arrive: () => void): ChatAnswer => {
    if (faults.strikes('destinationFails')) return { kind: 'failed', reason: 'server_error' };
    if (!isTopic && faults.strikes('destinationThrottles')) {
      return { kind: 'failed', reason: 'throttled', retryAfterSeconds: schedule.between(1, 240) };
    }
    // Before an outage: a pause that is longer than that, and than an alert is kept.
    const isBeforeOutage = world.outage !== undefined && now() < world.outage.from;
    if (!isTopic && isBeforeOutage && schedule.happens(0.3)) {
      const seconds = (schedule.between(50, 70) * HOUR) / SECOND;
      return { kind: 'failed', reason: 'throttled', retryAfterSeconds: seconds };
    }
    if (!isTopic && faults.strikes('destinationRefuses'))
      return { kind: 'refused', reason: 'too long' };
    if (!isTopic && faults.strikes('destinationGone')) return { kind: 'gone' };
    arrive();
    if (faults.strikes('destinationUnknown')) {
      by().disturbance ??= 'unknown answer of a destination';
      if (schedule.happens(0.5))
        throw new InjectedFaultError('the answer of a destination was lost');
      return { kind: 'failed', reason: 'timeout' };
    }
    return { kind: isTopic ? 'accepted' : 'sent' };
  };

  const managePorts: UserPorts = {
    ...common,
    configuredCadenceMinutes: cadenceMinutes,
    webhooks: { destinations: 'public', ports: [443, 8443] },
    sealSecret: sealer.seal,
    getCadences: governorStore.cadences,
    putWatchlist: watchlists.put,
    watchlistsOf: watchlists.ofTenant,
    salvageWatchlist: watchlists.salvage,
    watchedContracts: contracts.keys,
    getRequest: requests.get,
    putRequest: requests.put,
    removeRequest: requests.remove,
    requestUnitsPerMinute: { api: 1200, 'nft-data': 600 },
    getUsedUnits: async () => undefined,
    getAddress: addresses.get,
    takeAddresses: async () => undefined,
    charge: async () => undefined,
    getQuotaUsage: quotaUsage.get,
    putQuotaUsage: quotaUsage.put,
    putMutes: mutes.put,
    countPendingChanges: changeJobs.countContracts,
    alertsOf: alerts.ofList,
    acknowledgementsOf: acknowledgements.ofList,
    putAcknowledgement: acknowledgements.put,
    getChange: changes.get,
    putChange: changes.put,
    changesOf: changes.ofTenant,
    newNumber: newVersion,
    oldestInInbox: inbox.oldest,
    topicOf: ({ tenant, id }) => `arn:aws:sns:eu-central-1:000000000000:${tenant}-${id}`,
    confirm: async () => ({ state: 'confirmed' }),
  };

  const dispatchPorts: DispatchWorkPorts = {
    ...common,
    cadenceMinutes,
    limits,
    getGovernor: governorStore.get,
    putGovernor: governorStore.put,
    getCadences: governorStore.cadences,
    noteCadences: governorStore.noteCadences,
    getProgress: progress.progress,
    finish: progress.finish,
    allContracts: contracts.all,
    dueTimers: progress.dueFromCursors,
  };

  const running = <Result>(invocation: Invocation, work: () => Promise<Result>) => {
    current = invocation;
    return work();
  };
  return {
    dispatch: (invocation) => running(invocation, () => dispatchWork(dispatchPorts, signal)),
    runContracts: (invocation, message) => {
      if (message.kind === 'poll')
        world.planned(
          invocation,
          Object.values(message.calls ?? {}).filter((call) => call !== undefined),
        );
      return running(invocation, () => runContracts(runPorts, message, signal));
    },
    notify: (invocation, message) =>
      running(invocation, () => notifyWatchers(notifyPorts, message)),
    deliver: (invocation, message) =>
      running(invocation, () => deliverMessages(deliverPorts, message, signal)),
    manage: (invocation, work) => running(invocation, () => work(managePorts)),
  };
}

/** The longest that each function may run, as the stack has it. */
export const TIMEOUT_SECONDS = { dispatch: 58, actor: 30, manage: 25 } as const;
export const VISIBILITY_SECONDS = (6 * TIMEOUT_SECONDS.actor * SECOND) / SECOND;
