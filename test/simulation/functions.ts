import type { APIGatewayProxyEvent, APIGatewayProxyResult, SQSEvent } from 'aws-lambda';
import { composeActOnAlert } from '#functions/act-on-alert/compose.ts';
import { composeManageChannels } from '#functions/manage-channels/compose.ts';
import { channelRoutes } from '#functions/manage-channels/routes.ts';
import { keyRoutes } from '#functions/manage-keys/routes.ts';
import { composeServeApi } from '#functions/serve-api/compose.ts';
import { createFunctions, type FunctionName, TIMEOUTS } from '#infra/local/world-functions.ts';
import { QUEUES, type QueueName, queueUrl } from '#infra/local/world-variables.ts';
import { endpointOf, secretsOf as secretsIn } from '#shared/channels/channel.ts';
import type { Destinations } from '#shared/channels/destination.ts';
import type { AlertTopics } from '#shared/clients/alert-topics.ts';
import type { Open } from '#shared/clients/sealer.ts';
import { createSecretReaders } from '#shared/clients/secrets.ts';
import type { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import type { Notification } from '#shared/domain/alerting/notification.ts';
import type { SealedSecret } from '#shared/domain/channels/channel-secret.ts';
import type { ChatAnswer } from '#shared/domain/channels/chat-answer.ts';
import { channelDestinationId } from '#shared/domain/channels/destination-id.ts';
import { type ContractKey, contractKey } from '#shared/domain/market/contract.ts';
import { HOUR, SECOND } from '#shared/domain/market/instant.ts';
import type {
  FloorPage,
  FloorQuery,
  LowestTrade,
  Outcome as UpstreamOutcome,
} from '#shared/domain/market/upstream.ts';
import type { HoldingsPage } from '#shared/domain/market/wallet.ts';
import type { ChannelMessage } from '#shared/domain/messages/channel-message.ts';
import type { SentContractMessage } from '#shared/domain/messages/contract-message.ts';
import type { Outgoing } from '#shared/domain/messages/outgoing.ts';
import { JobId } from '#shared/domain/watchlists/job.ts';
import type { Outside } from '#shared/outside/outside.ts';
import { observedFloor } from '#shared/providers/prices.ts';
import { NOT_OF_TRAITS, ofWholeContracts } from '#shared/providers/whole-contracts.ts';
import type { WalletRead } from '#shared/use-cases/read-wallet.ts';
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
import { anOutside, NO_TOPICS, secretsOf } from '#test/support/outside.ts';

/** Everything that the functions can call, and the observers of these calls. */
export type FunctionsWorld = {
  readonly timeline: Timeline;
  readonly faults: Faults;
  readonly schedule: Stream;
  readonly sandboxes: Sandboxes;
  readonly table: FaultyTable;
  readonly market: Market;
  readonly second: SecondProvider | undefined;
  readonly wallets: Pick<Wallets, 'read'>;
  /** Called with each answer about a wallet. */
  readonly walletReported: (list: string, wallet: string, read: WalletRead, by: Invocation) => void;
  readonly outage: Outage | undefined;
  /** The environment variables of all functions. */
  readonly variables: Outside['variables'];
  readonly queues: () => Queues;
  /** Called for each call to the upstream. */
  readonly asked: (contract: ContractKey, by: Invocation) => void;
  readonly keys: KeyRing;
  readonly topics: Topics;
  readonly chats: Chats;
  readonly broken: (invariant: string, what: string) => void;
  /** Called when a call for the floors of a contract begins. */
  readonly floorAsked: (contract: ContractKey, by: Invocation) => void;
  /** Called with each answer of the market about the floors of a contract. */
  readonly floorReported: (
    contract: ContractKey,
    outcome: UpstreamOutcome<FloorPage>,
    by: Invocation,
  ) => void;
  /** Called with each answer of the market about a lowest sale or the best offer. */
  readonly valueReported: (
    contract: ContractKey,
    series: string,
    outcome: UpstreamOutcome<Pick<LowestTrade, 'price'>>,
    by: Invocation,
  ) => void;
  /** Called when a call to the second provider begins. */
  readonly secondAsked: (contract: ContractKey, by: Invocation) => void;
  readonly secondReported: (contract: ContractKey, by: Invocation, answer: SecondAnswer) => void;
  /** Called with each throttled answer and its delay in seconds. */
  readonly throttled: (by: Invocation, seconds: number) => void;
  /** Called with each notification that arrives. */
  readonly arrived: (
    destinationId: DestinationId,
    notification: Notification,
    by: Invocation,
  ) => void;
  readonly openSecret: Open;
  /** Called with the secrets with which a notification was sent. */
  readonly opened: (destinationId: DestinationId, secrets: readonly string[]) => void;
  /** Called with each answer of a destination that reaches its function. */
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
  readonly lists: FifoQueue<JobId>;
  readonly channels: FifoQueue<ChannelMessage>;
};

/**
 * Loaded functions. Each function handles one event at a time, and keeps its state in memory
 * between events.
 */
export type Instance = {
  /** Invokes a function with an event. `failed` receives each error that the function only logs. */
  readonly invoke: (
    by: Invocation,
    name: FunctionName,
    event: unknown,
    failed: (error: unknown) => void,
  ) => Promise<unknown>;
  readonly manage: <Result>(
    by: Invocation,
    work: (ports: UserPorts) => Promise<Result>,
  ) => Promise<Result>;
};

/** An invocation in progress. `list` is the watchlist of its messages. */
type Current = {
  readonly by: Invocation;
  readonly list: string;
  failed: (error: unknown) => void;
};

/** Log lines that report an error of one message or request. */
const FAILURES: ReadonlySet<string> = new Set([
  'message_failed',
  'item_unreadable',
  'request_failed',
]);

const { signal } = new AbortController();

export function createInstance(world: FunctionsWorld, newVersion: () => number): Instance {
  let current: Current | undefined;
  const running = async <Result>(next: Current, work: () => Promise<Result>): Promise<Result> => {
    current = next;
    return await work();
  };
  const outside = outsideOf(world, newVersion, () => current as Current);
  const functions = createFunctions(() => outside);

  /**
   * Sends a request to the function that serves its route. Throws the error that led to an answer
   * of 500.
   */
  const ask = async (event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> => {
    const asking = current as Current;
    const errors: unknown[] = [];
    asking.failed = (error) => errors.push(error);
    const answer = await functions[functionOf(event)](event);
    if (errors.length > 0) throw errors[0];
    return answer as APIGatewayProxyResult;
  };
  let ports: UserPorts | undefined;
  const portsOfUsers = (): UserPorts => ({
    ...composeServeApi(outside).watchlists,
    ...composeManageChannels(outside).ports,
    links: composeActOnAlert(outside).ports,
    ask,
  });

  return {
    invoke: (by, name, event, failed) =>
      running({ by, list: listOf(event), failed }, () => functions[name](event)),
    manage: (by, work) => {
      ports ??= portsOfUsers();
      return running({ by, list: '', failed: () => {} }, () => work(ports as UserPorts));
    },
  };
}

/** The `Outside` of the functions, which attributes each call to the current invocation. */
function outsideOf(
  world: FunctionsWorld,
  newVersion: () => number,
  current: () => Current,
): Outside {
  const { timeline, faults, sandboxes, variables } = world;
  const { now } = timeline;
  const by = () => current().by;
  const table = world.table.reachedBy(by);
  const secrets = secretsOf(variables);
  const parameterOf = (name: string) =>
    name === variables.UPSTREAM_KEY_PARAMETER
      ? world.keys.inParameter()
      : (secrets.get(name) ?? 'the key of the second provider');

  const send = <Message>(url: string, messages: readonly Outgoing<Message>[]): Promise<void> => {
    const name = QUEUES.find((one) => queueUrl(one) === url) as QueueName;
    const sender = by();
    return sandboxes.call(sender, `send ${name}`, async () => {
      try {
        if (faults.strikes('sendFails')) throw new InjectedFaultError('a queue refuses');
        const queue = world.queues()[name] as unknown as FifoQueue<Message>;
        await queue.send(messages);
      } catch (error) {
        sender.disturbance ??= 'failed send to a queue';
        throw error;
      }
    });
  };

  return anOutside({
    variables,
    now,
    sleepUntil: (instant) => sandboxes.sleepUntil(by(), instant),
    uniqueNumber: newVersion,
    randomBytes: (count) => Buffer.alloc(count, `${newVersion()}.`),
    logOf: () => ({
      info: (event, fields = {}) => world.reported(event, fields),
      error: (event, fields = {}) => {
        if (FAILURES.has(event)) current().failed(fields.error);
        // `invocation_failed` needs no report, because the function throws its error.
        else if (event !== 'invocation_failed') world.reported(event, fields);
      },
    }),
    secret: createSecretReaders(
      (names) =>
        sandboxes.call(by(), 'parameter', async () => {
          return new Map(names.map((name) => [name, parameterOf(name)]));
        }),
      { now, random: () => 0 },
    ),
    table: () => table,
    senderTo: (url) => async (messages) => {
      // Sends at most ten messages in a call, and makes no call without a message, as the real
      // client does.
      for (let start = 0; start < messages.length; start += 10) {
        await send(url, messages.slice(start, start + 10));
      }
    },
    // No contract has a collection at the provider, so no further look-up follows.
    httpClient: () => ({
      request: () => sandboxes.call(by(), 'upstream collection', async () => NO_COLLECTION),
    }),
    topics: () => ({ ...NO_TOPICS, ...topicsOf(world, by) }),
    destinations: () => destinationsOf(world, by),
    ...providersOf(world, current),
  });
}

const NO_COLLECTION = { status: 200, headers: {}, body: '{"collection":"","name":""}' };

function topicsOf({ sandboxes, faults, topics }: FunctionsWorld, by: () => Invocation) {
  const change = <Result>(port: string, work: () => Result) =>
    sandboxes.call(by(), port, async () => {
      if (faults.strikes('destinationFails')) throw new InjectedFaultError('the topic refuses');
      return work();
    });
  return {
    hasTopic: async (list, endpoint) => topics.has(list, endpoint),
    keepSubscribers: (list, subscribers) =>
      change('subscribe', () => topics.keepSubscribers(list, subscribers)),
    removeTopics: (list, endpoints) =>
      change('remove topics', () => topics.removeTopics(list, endpoints)),
    confirm: async () => ({ state: 'confirmed' }),
  } satisfies Partial<AlertTopics>;
}

/**
 * The simulated providers. Their real clients read the keys, and repeat a call whose key was
 * refused.
 */
function providersOf(
  world: FunctionsWorld,
  current: () => Current,
): Pick<Outside, 'upstream' | 'otherUpstreams' | 'holdingsReader'> {
  const { timeline, faults, schedule, sandboxes, second } = world;
  const { now } = timeline;
  const by = () => current().by;
  const latencyOf = () =>
    faults.strikes('upstreamSlow') ? schedule.between(1000, 9000) : schedule.between(80, 400);

  return {
    upstream: (_provider, settings) => {
      const throughAdapter = createUpstreamAdapter({
        ...{ keys: world.keys, settings, broken: world.broken },
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
      return {
        floorHistory: (contract, query) => {
          if (query.cursor === undefined) world.floorAsked(contractKey(contract), by());
          return askedFor('floor', contractKey(contract), (by) => {
            const reported = world.market.floors(contractKey(contract), query, now());
            const page = contract.traits === undefined ? reported : floorOfNow(reported, query);
            // Later pages contain only older floors.
            if (query.cursor === undefined) world.floorReported(contractKey(contract), page, by);
            return page;
          });
        },
        lowestTrade: (contract, days) =>
          askedFor('lowest', contractKey(contract), (by) => {
            const outcome = world.market.lowest(contractKey(contract), days, now());
            world.valueReported(contractKey(contract), `lowest.${days}d`, outcome, by);
            return outcome;
          }),
        bestOffer: (contract) =>
          askedFor('offers', contractKey(contract), (by) => {
            const outcome = world.market.bestOffer(contractKey(contract), now());
            world.valueReported(contractKey(contract), 'offer', outcome, by);
            return outcome;
          }),
        answer: async () => ({ kind: 'unsupported', reason: 'retired' }),
      };
    },

    otherUpstreams: (others, settingsFor) =>
      others.map(({ limits, keyParameter }) => ({
        limits,
        upstream: ofWholeContracts(
          secondUpstream(settingsFor(keyParameter), (contract) => {
            const asking = by();
            world.secondAsked(contract, asking);
            const hear = async () => {
              const said = (second as SecondProvider).answer(contract, now());
              world.secondReported(contract, asking, said);
              return said;
            };
            return sandboxes.call(asking, 'upstream second', hear, latencyOf());
          }),
        ),
      })),

    holdingsReader: () => (wallet) => {
      const { by: asking, list } = current();
      const answer = async () => {
        const page = world.wallets.read(wallet, now());
        world.walletReported(list, wallet, walletRead(page), asking);
        return page;
      };
      return sandboxes.call(asking, 'upstream wallet', answer, latencyOf());
    },
  };
}

/** Converts a page of holdings, which is the only one, to the result of reading a wallet. */
function walletRead(page: UpstreamOutcome<HoldingsPage>): WalletRead {
  if (page.kind === 'ok') return { kind: 'ok', holdings: { ...page.value, isCut: false } };
  if (page.kind !== 'empty') return page;
  return { kind: 'ok', holdings: { collections: [], others: 0, isCut: false } };
}

function destinationsOf(world: FunctionsWorld, by: () => Invocation): Destinations {
  const { timeline, faults, schedule, sandboxes } = world;
  const { now } = timeline;

  /** Draws a destination's answer to a notification. Calls `arrive` if the notification arrives. */
  const answerOf = (isTopic: boolean, arrive: () => void): ChatAnswer => {
    if (faults.strikes('destinationFails')) return { kind: 'failed', reason: 'server_error' };
    if (!isTopic && faults.strikes('destinationThrottles')) {
      return { kind: 'failed', reason: 'throttled', retryAfterSeconds: schedule.between(1, 240) };
    }
    // Before an outage, some destinations ask for a pause that outlasts both the outage and the
    // retention of alerts.
    const isBeforeOutage = world.outage !== undefined && now() < world.outage.from;
    if (!isTopic && isBeforeOutage && schedule.happens(0.3)) {
      const seconds = (schedule.between(50, 70) * HOUR) / SECOND;
      return { kind: 'failed', reason: 'throttled', retryAfterSeconds: seconds };
    }
    if (!isTopic && faults.strikes('destinationRefuses'))
      return { kind: 'refused', reason: 'too long' };
    if (!isTopic && faults.strikes('destinationGone'))
      return { kind: 'gone', reason: 'HTTP 410 Gone' };
    arrive();
    if (faults.strikes('destinationUnknown')) {
      by().disturbance ??= 'unknown answer of a destination';
      if (schedule.happens(0.5))
        throw new InjectedFaultError('the answer of a destination was lost');
      return { kind: 'failed', reason: 'timeout' };
    }
    return { kind: isTopic ? 'accepted' : 'sent' };
  };

  return {
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
            const open = ({ sealed }: SealedSecret) => world.openSecret(place, sealed);
            world.opened(destinationId, await Promise.all(secretsIn(channel).map(open)));
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
  };
}

/** The watchlist of an event with jobs: all messages of a batch belong to one watchlist. */
function listOf(event: unknown): string {
  const { Records: [record] = [] } = event as Partial<SQSEvent>;
  const job = record && JobId.safeParse(JSON.parse(record.body)).data;
  return job === undefined ? '' : `${job.list.tenant} ${job.list.id}`;
}

/** The function behind a route of the interface. */
function functionOf({ httpMethod, resource }: APIGatewayProxyEvent): FunctionName {
  const route = `${httpMethod} ${resource}`;
  if (route in keyRoutes) return 'manage-keys';
  return route in channelRoutes ? 'manage-channels' : 'serve-api';
}

/**
 * Returns only the current floor of a trait, dated at the time of the request, and no history, as a
 * provider does.
 */
function floorOfNow(
  page: UpstreamOutcome<FloorPage>,
  { poll }: FloorQuery,
): UpstreamOutcome<FloorPage> {
  if (poll === undefined) return NOT_OF_TRAITS;
  const [newest] = page.kind === 'ok' ? page.value.points : [];
  if (newest === undefined) return page;
  const point = observedFloor({ ...newest, time: poll.askedAt }, poll.newest);
  return { kind: 'ok', value: { points: [point], isCut: true } };
}

/** The timeouts of functions, in seconds. */
export const TIMEOUT_SECONDS = {
  actor: TIMEOUTS['run-contracts'],
  manage: TIMEOUTS['serve-api'],
} as const;
export const VISIBILITY_SECONDS = (6 * TIMEOUT_SECONDS.actor * SECOND) / SECOND;
