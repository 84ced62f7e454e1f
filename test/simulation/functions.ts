import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { composeActOnAlert } from '#functions/act-on-alert/compose.ts';
import { composeDeliverMessages } from '#functions/deliver-messages/compose.ts';
import { deliverMessages } from '#functions/deliver-messages/deliver-messages.ts';
import { composeDispatchWork } from '#functions/dispatch-work/compose.ts';
import { dispatchWork } from '#functions/dispatch-work/dispatch-work.ts';
import { composeManageChannels } from '#functions/manage-channels/compose.ts';
import { composeManageKeys } from '#functions/manage-keys/compose.ts';
import { composeManageWatchlists } from '#functions/manage-watchlists/compose.ts';
import { composeNotifyWatchers } from '#functions/notify-watchers/compose.ts';
import { notifyTogether, subjectOf } from '#functions/notify-watchers/notify-together.ts';
import { composeRunContracts } from '#functions/run-contracts/compose.ts';
import { runContracts } from '#functions/run-contracts/run-contracts.ts';
import { endpointOf, secretsOf } from '#shared/channels/channel.ts';
import { actionToken, hasOpenEpisode } from '#shared/domain/alerting/alert-action.ts';
import type { Notification } from '#shared/domain/alerting/notification.ts';
import type { SealedSecret } from '#shared/domain/channels/channel-secret.ts';
import type { ChatAnswer } from '#shared/domain/channels/chat-answer.ts';
import {
  channelDestinationId,
  type DestinationId,
} from '#shared/domain/channels/destination-id.ts';
import { type ContractKey, contractKey } from '#shared/domain/market/contract.ts';
import { HOUR, type Instant, MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import type {
  FloorPage,
  FloorQuery,
  LowestTrade,
  Outcome as UpstreamOutcome,
} from '#shared/domain/market/upstream.ts';
import type { WalletAddress } from '#shared/domain/market/wallet.ts';
import type { ChannelMessage } from '#shared/domain/messages/channel-message.ts';
import type {
  ContractMessage,
  PollMessage,
  SentContractMessage,
} from '#shared/domain/messages/contract-message.ts';
import { ListMessage } from '#shared/domain/messages/list-message.ts';
import type { UpstreamLimits } from '#shared/domain/polling/upstream-limits.ts';
import { observedFloor } from '#shared/providers/prices.ts';
import { NOT_OF_TRAITS, ofWholeContracts } from '#shared/providers/whole-contracts.ts';
import { handleFifoRecords, type Telemetry } from '#shared/runtime/fifo-records.ts';
import type { WalletRead } from '#shared/use-cases/read-wallet.ts';
import { LINK_KEY, LINKS_URL } from '#test/simulation/actors/link-readers.ts';
import type { UserPorts } from '#test/simulation/actors/users.ts';
import type { Outage } from '#test/simulation/calendar.ts';
import type { Chats } from '#test/simulation/services/chats.ts';
import { type Faults, InjectedFaultError } from '#test/simulation/services/faults.ts';
import type { FaultyTable } from '#test/simulation/services/faulty-table.ts';
import type { FifoQueue } from '#test/simulation/services/fifo-queue.ts';
import type { Market } from '#test/simulation/services/market.ts';
import type { Invocation, Sandboxes } from '#test/simulation/services/sandbox.ts';
import {
  type SecondAnswer,
  type SecondProvider,
  secondUpstream,
} from '#test/simulation/services/second-provider.ts';
import type { Stream } from '#test/simulation/services/streams.ts';
import type { Timeline } from '#test/simulation/services/timeline.ts';
import type { Topics } from '#test/simulation/services/topics.ts';
import {
  createUpstreamAdapter,
  type KeyRing,
  type UpstreamCallName,
} from '#test/simulation/services/upstream-adapter.ts';
import type { Wallets } from '#test/simulation/services/wallets.ts';
import { aQuickSealer } from '#test/support/sealer.ts';

/** All that functions reach of the world, whichever of them it is. */
export type FunctionsWorld = {
  readonly timeline: Timeline;
  readonly faults: Faults;
  readonly schedule: Stream;
  readonly sandboxes: Sandboxes;
  readonly table: FaultyTable;
  readonly market: Market;
  readonly second: SecondProvider | undefined;
  readonly wallets: Pick<Wallets, 'read'>;
  /** Hears what is reported of a wallet. */
  readonly walletReported: (list: string, wallet: string, read: WalletRead, by: Invocation) => void;
  readonly outage: Outage | undefined;
  readonly limits: UpstreamLimits;
  readonly cadenceMinutes: number;
  readonly queues: () => Queues;
  /** Receives what an invocation is to ask for, in slots that were planned for it. */
  readonly polled: (by: Invocation, message: PollMessage) => void;
  /** Hears of each call to the upstream as it is made. */
  readonly asked: (contract: ContractKey, by: Invocation) => void;
  readonly keys: KeyRing;
  readonly topics: Topics;
  readonly chats: Chats;
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
  /** A call to the second provider begins. */
  readonly secondAsked: (contract: ContractKey, by: Invocation) => void;
  readonly secondReported: (by: Invocation, answer: SecondAnswer) => void;
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
  readonly answered: (
    destinationId: DestinationId,
    answer: ChatAnswer,
    by: Invocation,
    notification?: Notification,
  ) => void;
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
  readonly notify: (
    by: Invocation,
    event: SQSEvent,
    telemetry: Telemetry,
  ) => Promise<SQSBatchResponse>;
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
    report: world.reported,
    sendToContracts: sender('contracts', () => world.queues().contracts),
    sendToLists: sender('lists', () => world.queues().lists),
    sendToChannels: sender('channels', () => world.queues().channels),
    table,
    limits,
    cadenceMinutes,
    stackSlack: 'off' as const,
    operatorAlerts: 'all' as const,
  };
  const latencyOf = () =>
    faults.strikes('upstreamSlow') ? schedule.between(1000, 9000) : schedule.between(80, 400);
  const throughAdapter = createUpstreamAdapter({
    keys: world.keys,
    now,
    broken: world.broken,
    readParameter: (read) => sandboxes.call(by(), 'parameter', async () => read()),
    request: (call, answer) =>
      sandboxes.call(by(), `upstream ${call}`, async () => answer(), latencyOf()),
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

  const secondSource = ({ limits, answer }: SecondProvider) => ({
    limits,
    upstream: ofWholeContracts(
      secondUpstream(now, (contract) => {
        const asking = by();
        world.secondAsked(contract, asking);
        const hear = async () => {
          const said = answer(contract, now());
          world.secondReported(asking, said);
          return said;
        };
        return sandboxes.call(asking, 'upstream second', hear, latencyOf());
      }),
    ),
  });

  const remainingTime = () => by().deadline - now();

  const runPorts = composeRunContracts({
    ...common,
    others: world.second === undefined ? [] : [secondSource(world.second)],
    upstream: {
      floorHistory: (contract, query) =>
        askedFor('floor', contractKey(contract), (by) => {
          const reported = world.market.floors(contractKey(contract), query, now());
          const page =
            contract.traits === undefined ? reported : floorOfNow(reported, query, now());
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
  });

  const walletReader = (list: string) => (_tenant: string, wallet: WalletAddress) => {
    const asking = by();
    const answer = async () => {
      const read = world.wallets.read(wallet, now());
      world.walletReported(list, wallet, read, asking);
      return read;
    };
    return sandboxes.call(asking, 'upstream wallet', answer, latencyOf());
  };

  const notifyPorts = composeNotifyWatchers({
    ...common,
    configuredCadenceMinutes: cadenceMinutes,
    // More often than once a day: a morning is to see them change.
    readWalletsEvery: 4 * MINUTE,
    readWallet: async () => ({ kind: 'unsupported', reason: 'retired' }),
    hasTopic: async (list, endpoint) => world.topics.has(list, endpoint),
    keepSubscribers: (list, subscribers) =>
      sandboxes.call(by(), 'subscribe', async () => {
        if (faults.strikes('destinationFails')) throw new InjectedFaultError('the topic refuses');
        return world.topics.keepSubscribers(list, subscribers);
      }),
    removeTopics: (list, endpoints) =>
      sandboxes.call(by(), 'remove topics', async () => {
        if (faults.strikes('destinationFails')) throw new InjectedFaultError('the topic refuses');
        return world.topics.removeTopics(list, endpoints);
      }),
  });

  const deliverPorts = composeDeliverMessages({
    ...common,
    messageLinks: async (alert, { channel }) => {
      const token = hasOpenEpisode(alert)
        ? actionToken(LINK_KEY, { ...alert, channel })
        : undefined;
      return token === undefined ? {} : { actions: `${LINKS_URL}${token}` };
    },
    prove: ({ list, channel }) => {
      const destinationId = channelDestinationId(list, channel.id);
      const asker = by();
      return sandboxes.call(asker, `publish ${destinationId} challenge`, async () => {
        const answer = answerOf(false, () => {});
        world.answered(destinationId, answer, asker);
        return answer;
      });
    },
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
          const endpoint = isEmail ? endpointOf(destination.channel) : undefined;
          const hasTopic = !endpoint || !isEmail || world.topics.has(destination.list, endpoint);
          const isChat = destination.kind === 'channel' && destination.channel.kind === 'discord';
          let shown: Promise<ChatAnswer> | undefined;
          const arrive = () => {
            world.arrived(destinationId, notification, sender);
            if (isChat) shown = world.chats.post(destinationId, notification, sender);
          };
          const said = hasTopic ? answerOf(isTopic, arrive) : ({ kind: 'no_topic' } as const);
          const answer = said.kind === 'sent' && shown !== undefined ? await shown : said;
          world.answered(destinationId, answer, sender, notification);
          return answer;
        },
        latency,
      );
    },
  });

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
    if (!isTopic && faults.strikes('destinationGone'))
      return { kind: 'gone', reason: 'it answered 410 Gone' };
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
    links: composeActOnAlert({ ...common, readKey: async () => LINK_KEY }),
    apiKeys: composeManageKeys({
      ...{ now, newVersion, table },
      random: () => Buffer.alloc(32, `${newVersion()}.`),
    }),
    ...composeManageWatchlists({
      ...common,
      newNumber: newVersion,
      configuredCadenceMinutes: cadenceMinutes,
      hasSecondSource: false,
      webhooks: { destinations: 'public', ports: [443, 8443] },
      sealSecret: sealer.seal,
      requestUnitsPerMinute: { api: 1200, 'nft-data': 600 },
      takeAddresses: async () => undefined,
      charge: async () => undefined,
      searchCollection: async () => ({ kind: 'unsupported', reason: 'retired' }),
      readWallet: async () => ({ kind: 'unsupported', reason: 'retired' }),
    }),
    ...composeManageChannels({
      ...common,
      newNumber: newVersion,
      topicOf: ({ tenant, id }) => `arn:aws:sns:eu-central-1:000000000000:${tenant}-${id}`,
      confirm: async () => ({ state: 'confirmed' }),
    }),
  };

  const dispatchPorts = composeDispatchWork({
    ...common,
    others: world.second === undefined ? [] : [world.second],
  });

  const running = <Result>(invocation: Invocation, work: () => Promise<Result>) => {
    current = invocation;
    return work();
  };
  return {
    dispatch: (invocation) => running(invocation, () => dispatchWork(dispatchPorts, signal)),
    runContracts: (invocation, message) => {
      if (message.kind === 'poll') world.polled(invocation, message);
      return running(invocation, () =>
        runContracts({ ...runPorts, remainingTime }, message, signal),
      );
    },
    notify: (invocation, event, telemetry) =>
      running(invocation, () => {
        // A batch is of one list.
        const [{ tenant, list } = {}] = event.Records.map(({ body }) => JSON.parse(body));
        const readWallet = walletReader(`${tenant} ${list}`);
        const notify = notifyTogether({ ...notifyPorts, readWallet, remainingTime });
        return handleFifoRecords(event, ListMessage, telemetry, notify, subjectOf);
      }),
    deliver: (invocation, message) =>
      running(invocation, () =>
        deliverMessages({ ...deliverPorts, remainingTime }, message, signal),
      ),
    manage: (invocation, work) => running(invocation, () => work(managePorts)),
  };
}

/** Of traits a provider has the floor of now, whose time is that of the question, and nothing of the past. */
function floorOfNow(
  page: UpstreamOutcome<FloorPage>,
  { poll }: FloorQuery,
  now: Instant,
): UpstreamOutcome<FloorPage> {
  if (poll === undefined) return NOT_OF_TRAITS;
  const [newest] = page.kind === 'ok' ? page.value.points : [];
  if (newest === undefined) return page;
  const point = observedFloor({ ...newest, time: now }, poll.newest);
  return { kind: 'ok', value: { points: [point], isCut: true } };
}

/** The longest that each function may run, as the stack has it. */
export const TIMEOUT_SECONDS = { dispatch: 58, actor: 30, manage: 25 } as const;
export const VISIBILITY_SECONDS = (6 * TIMEOUT_SECONDS.actor * SECOND) / SECOND;
