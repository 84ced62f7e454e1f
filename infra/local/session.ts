import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { systemErrorCode } from '#infra/command-line/system-error.ts';
import { UsageError } from '#infra/command-line/usage-error.ts';
import { nextMinuteWithWork } from '#infra/local/next-minute-with-work.ts';
import { createClock, passTime, type Timeline, wait } from '#infra/local/runtime/clock.ts';
import { startGateway } from '#infra/local/runtime/gateway.ts';
import { announceStack } from '#infra/operate/local-stacks.ts';
import { answerQueuesCall, QUEUES_PATH } from '#infra/operate/remote-queues.ts';
import { answerTableCall, TABLE_PATH } from '#infra/operate/remote-table.ts';
import { findStage, Settings } from '#infra/stack/stages.ts';
import { topicTexts } from '#shared/clients/alert-topics.ts';
import { publicHalfOf } from '#shared/clients/channel-key.ts';
import { createEmailSender } from '#shared/clients/email-sender.ts';
import { publicPushKeyOf } from '#shared/clients/push-key.ts';
import { windowsOf } from '#shared/domain/evaluation/index-ranges.ts';
import { nextMinute } from '#shared/domain/market/instant.ts';
import type { Provider } from '#shared/domain/market/provider.ts';
import { isContinuous } from '#shared/domain/metrics/metric.ts';
import { type ContractRecord, newestOf, seriesIn } from '#shared/domain/polling/contract-record.ts';
import type { ThresholdIndexName } from '#shared/domain/rules/threshold-index.ts';
import { createFloorArchive } from '#shared/stores/history-store.ts';
import { expectKeptMarket, identityOf, openStore } from './keep.ts';
import { createKeyRenewal } from './live/key-renewal.ts';
import { createLocalTopics } from './local-topics.ts';
import { pollsIn, readUnanswered } from './log-lines.ts';
import { createMailbox, type Delivery, type Notification } from './mailbox.ts';
import type { Market, Served } from './market.ts';
import { openMarket } from './open-market.ts';
import type { Options } from './options.ts';
import { demoChannels } from './receivers/demo-channels.ts';
import { EMAIL_SENDER, startReceivers } from './receivers/start-receivers.ts';
import type { End, Report } from './report.ts';
import { sessionKey } from './session-key.ts';
import { earliest, nextWork, readWatchedTable, type WatchedTable } from './watched-table.ts';
import { applyWatchlists, muteRule, readWatchlists } from './watchlists.ts';
import { createWorld, type World } from './world.ts';
import { worldApi } from './world-api.ts';
import { createFiles } from './world-files.ts';
import { QUEUES, queueUrl } from './world-variables.ts';

const upstreamKeyParameter = '/floorwatch/local/upstream-key';
const slackWebhookParameter = '/floorwatch/local/slack-webhook';
const channelKeyParameter = '/floorwatch/local/channel-key';
const channelPublicKeyParameter = '/floorwatch/local/channel-public-key';
const pushKeyParameter = '/floorwatch/local/push-key';
const pushPublicKeyParameter = '/floorwatch/local/push-public-key';
const linkKeyParameter = '/floorwatch/local/link-key';
const keyParameterOf = (provider: Provider) => `/floorwatch/local/${provider}-key`;
const OPERATOR = 'operators@floorwatch.example';

export type SessionOptions = {
  readonly options: Options;
  readonly report: Report;
  readonly onFailure: (error: unknown) => void;
  readonly log: (functionName: string, line: string) => void;
  /** Ends the session, as Ctrl-C does. */
  readonly signal: AbortSignal;
};

/** Runs the stack on a market until the market's time ends or it is stopped. */
export async function runSession(session: SessionOptions): Promise<End> {
  const { options, report, log, onFailure, signal } = session;
  await using open = new AsyncDisposableStack();
  const given =
    options.watchlists === undefined ? undefined : await readWatchlists(options.watchlists);
  const store = await openStore(options.keep);
  open.defer(store.close);
  const kept = store.kept();
  if (options.keep !== undefined) expectKeptMarket(options.keep, kept, options);
  const chosen = { ...options, from: kept.time ?? options.from };
  const market = await openMarket(chosen, given, kept.instantKey);
  const clock = createClock(market.start);
  const upstream = await market.serve(clock.now);
  open.defer(upstream.close);
  const { others } = upstream;

  const counts = { rounds: 0, alerts: 0, emails: 0, chats: 0, webhooks: 0, queued: 0, refused: 0 };
  const mailbox = createMailbox(clock.now, (notification) => {
    counts[countOf(notification)] += 1;
    report.notification(notification);
  });
  const receivers = await startReceivers({
    webhookSecret: kept.webhookSecret,
    webhookPort: kept.webhookPort,
    now: clock.now,
    deliver: mailbox.deliver,
    onRefusal: (reason) => {
      counts.refused += 1;
      report.refused(reason);
    },
  });
  open.defer(receivers.close);

  const folder = await mkdtemp(join(tmpdir(), 'floorwatch-'));
  open.defer(async () => await rm(folder, { recursive: true, force: true }));
  // The SSM parameters. Every request reads this map, because a renewed provider key replaces the
  // value.
  const parameters = new Map([
    [upstreamKeyParameter, market.upstreamKey],
    [channelKeyParameter, kept.channelKey],
    [channelPublicKeyParameter, publicHalfOf(kept.channelKey)],
    [pushKeyParameter, kept.pushKey],
    [pushPublicKeyParameter, publicPushKeyOf(kept.pushKey)],
    [linkKeyParameter, kept.linkKey],
    [slackWebhookParameter, 'https://hooks.slack.com/services/T000/B000/local'],
    ...others.map(({ provider, key }) => [keyParameterOf(provider), key] as const),
  ]);
  const settings = Settings.parse({
    ...market.stage,
    ...(options.archive && { nftDataSources: ARCHIVE_ALONE }),
    upstreamUrl: upstream.url,
    chatOrigins: receivers.chatOrigins,
    emailSender: EMAIL_SENDER,
    slackWebhookParameter,
    channelKeyParameter,
    channelPublicKeyParameter,
    pushKeyParameter,
    pushPublicKeyParameter,
    linkKeyParameter,
    webhookDestinations: 'loopback-only',
    upstreamKeyParameter,
    otherProviders: others.map(({ provider, url, limits }) => {
      return { provider, url, keyParameter: keyParameterOf(provider), ...limits };
    }),
    // The report prints only alerts that the operators receive, so this stage sends them all
    // alerts.
    operatorAlerts: 'all',
  });
  const stage = { ...findStage('dev', settings), name: 'local' };

  let polled = 0;
  // The virtual time at which the last work ended. When time jumps, a new minute begins before its
  // tick runs, so a status of that moment would report a stalled stack.
  let quietAt = market.start;
  const noticeUnanswered = readUnanswered(report.unanswered);
  const world = createWorld({
    stage,
    ...{ now: clock.now, wallClock: Date.now, clockRuns: true },
    ...{ table: store.table, messages: store.messages, parameters },
    publicUrl: () => `${gateway.url}/v1/`,
    filesOf: createFiles(folder),
    topics: createLocalTopics(async (notification, endpoint) => {
      const { subject, email: text, sqs } = topicTexts(notification);
      if (endpoint === undefined) {
        const alerts = alertsIn(JSON.parse(sqs));
        counts.alerts += alerts.length;
        for (const alert of alerts) report.alert(alert);
        mailbox.deliver({ kind: 'email', to: OPERATOR, subject, text });
      } else if (endpoint.protocol === 'email') {
        mailbox.deliver({ kind: 'email', to: endpoint.endpoint, subject, text });
      } else {
        mailbox.deliver(queuedDelivery(endpoint.endpoint, sqs));
      }
    }, store.topics),
    sendEmail: createEmailSender(
      {
        ...{ AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' },
        AWS_ENDPOINT_URL_SESV2: receivers.sesUrl,
      },
      { sender: EMAIL_SENDER, configurationSet: 'local', now: clock.now },
    ),
    print: (functionName, line) => {
      log(functionName, line);
      noticeUnanswered(line);
      polled += pollsIn(line);
    },
    onFailure: (error) => {
      if (!open.disposed) onFailure(error);
    },
  });
  const gateway = await startGateway({
    api: worldApi(world.functions, stage.corsOrigins.length > 0),
    now: clock.now,
    onFailure: (error) => {
      if (!open.disposed) onFailure(error);
    },
    port: options.port,
    pages: {
      '/local/mailbox': async () => mailbox.notifications(),
      '/local/status': async () => ({
        time: new Date(options.speed === 1 ? clock.now() : quietAt).toISOString(),
        ...counts,
        queues: QUEUES.map((name) => ({ name, ...world.queues.depth(queueUrl(name)) })),
        stage,
      }),
      [TABLE_PATH]: (request) => answerTableCall(store.table, request),
      [QUEUES_PATH]: async (request) => answerQueuesCall(localQueues(world), request),
    },
  }).catch((error: unknown) => {
    throw portProblem(error, options.port) ?? error;
  });
  open.defer(gateway.close);
  store.keep({
    ...{ time: clock.now(), market: kept.market ?? identityOf(options.market, market.start) },
    webhookPort: Number(new URL(receivers.webhookOrigin).port),
    ...(market.instantKey && { instantKey: market.instantKey }),
  });

  const watched = readWatchedTable(store.table);
  let known = await watched.contracts();
  const { url } = gateway;
  open.defer(await announceStack(url));
  const keyOf = (tenant: string) => sessionKey(store.table, tenant, clock.now());
  const [apiKey, neighbourKey] = await Promise.all([keyOf('local'), keyOf('neighbour')]);
  const isNew = kept.time === undefined;
  // Past floors are stored before the first poll, so that the console has charts and changes from
  // the start.
  if (isNew && market.pastFloors) {
    await createFloorArchive(store.table).putFloors(market.pastFloors(), clock.now());
  }
  const channels = demoChannels(receivers, kept.webhookSecret, DEMO_QUEUE, options.tour);
  const demo = market.demo.map((list) => ({ ...list, channels }));
  if (given) await applyWatchlists(url, apiKey, given, 'replace');
  else await applyWatchlists(url, apiKey, demo, market.collections ? 'replace' : 'leave');
  if (!given && isNew && market.muted) await muteRule(url, apiKey, market.muted);
  const neighbours = { id: 'neighbours', name: 'Neighbours', contracts: [] };
  await applyWatchlists(url, neighbourKey, [neighbours], 'leave');
  for (const collection of market.collections ?? []) report.collection(collection);
  report.ready({ url, apiKey, neighbourKey, market: market.label });

  const { instantKey, makeKey } = market;
  const renewKey =
    instantKey === undefined || makeKey === undefined
      ? async () => {}
      : createKeyRenewal(instantKey, {
          now: clock.now,
          make: makeKey,
          use: async (renewed) => {
            parameters.set(upstreamKeyParameter, renewed.key);
            store.keep({ instantKey: renewed });
          },
        });
  const stopping = AbortSignal.any([
    signal,
    ...(options.stopAfter === undefined ? [] : [AbortSignal.timeout(options.stopAfter)]),
  ]);
  const timeline = createTimeline({
    options,
    market,
    upstream,
    world,
    watched,
    start: clock.now(),
    signal: stopping,
    onQuiet: () => {
      quietAt = clock.now();
    },
    beforeTick: (instant) => store.keep({ time: instant + WORK_AFTER_TICK }),
    onRound: async (instant, records) => {
      counts.rounds += 1;
      await renewKey();
      report.round({ instant, polled, values: newValues(known, records) });
      known = records;
      polled = 0;
    },
  });
  const end = await passTime(clock, timeline, stopping);
  // From this time to the end of the market, no work is due.
  if (end === 'ended' && Number.isFinite(market.end)) {
    clock.advanceTo(market.end);
    quietAt = clock.now();
  }
  if (end === 'ended' && !options.exitAtEnd) {
    report.ended();
    await wait(aMonth, stopping);
  }
  await world.quiet(AbortSignal.timeout(5000));
  store.keep({ time: clock.now() });
  const deadLetters = QUEUES.map((name) => [name, world.queues.deadLetters(name).length] as const);
  return {
    reason: end === 'ended' ? 'end' : signal.aborted ? 'signal' : 'time',
    time: new Date(clock.now()).toISOString(),
    ...counts,
    deadLetters: Object.fromEntries(deadLetters.filter(([, waiting]) => waiting > 0)),
  };
}

function countOf({ kind }: Notification): 'emails' | 'chats' | 'webhooks' | 'queued' {
  if (kind === 'email') return 'emails';
  if (kind === 'sqs') return 'queued';
  return kind === 'webhook' ? 'webhooks' : 'chats';
}

/** The alerts in a published message: one alert, or all alerts of a digest. */
function alertsIn(published: unknown): readonly unknown[] {
  return Digest.safeParse(published).data?.alerts ?? [published];
}

const Digest = z.object({ kind: z.literal('digest'), alerts: z.array(z.unknown()) });

/** The message that a program reads from a user's queue. */
function queuedDelivery(arn: string, sqs: string): Delivery {
  const message: unknown = JSON.parse(sqs);
  const to = arn.slice(arn.lastIndexOf(':') + 1);
  return { kind: 'sqs', to, subject: Titled.safeParse(message).data?.title ?? sqs, message };
}

const Titled = z.object({ title: z.string() });

/** The queue that receives the alerts of the demo. */
const DEMO_QUEUE = 'arn:aws:sqs:us-east-1:000000000000:alerts-for-programs';

/** Gives commands access to the queues and their dead letters. */
function localQueues({ queues }: World): Parameters<typeof answerQueuesCall>[0] {
  return {
    list: () =>
      QUEUES.map((name) => ({
        name,
        deadLetters: queues.deadLetters(name).map(({ id, sentAt, body }) => ({
          ...{ messageId: id, sentAt: new Date(sentAt).toISOString(), body },
        })),
      })),
    redrive: (asked) => {
      const name = QUEUES.find((one) => one === asked);
      return name === undefined ? 0 : queues.redrive(name);
    },
  };
}

/** The reason why the requested port is not available; undefined for other errors. */
function portProblem(error: unknown, port: number): UsageError | undefined {
  const reason = {
    EADDRINUSE: 'is in use: give another port',
    EACCES: 'needs more rights: give another port',
  }[String(systemErrorCode(error))];
  return port !== 0 && reason ? new UsageError(`--port ${port} ${reason}`) : undefined;
}

type TimelineOptions = {
  readonly options: Options;
  readonly market: Market;
  readonly upstream: Served;
  readonly world: World;
  readonly watched: WatchedTable;
  readonly start: number;
  readonly signal: AbortSignal;
  /** Called when no message waits and no function runs. */
  readonly onQuiet: () => void;
  /** Stores the current time before any work starts. */
  readonly beforeTick: (instant: number) => void;
  /** Called with the last tick when all its work is done. */
  readonly onRound: (instant: number, records: readonly ContractRecord[]) => Promise<void>;
};

/** Ticks every minute. At full speed (an infinite `speed`), skips minutes without work. */
function createTimeline(timeline: TimelineOptions): Timeline {
  const { options, market, upstream, world, watched, start, signal } = timeline;
  const { onQuiet, beforeTick, onRound } = timeline;
  let last: number | undefined;
  let tick: number | undefined;

  /** The time at which a sleeping function wakes, if that is in the minute of the last tick. */
  const nextWaking = (): number | undefined => {
    // In real time, a timer wakes the function.
    if (options.speed === 1 || last === undefined) return undefined;
    const asleep = world.asleepUntil();
    return asleep !== undefined && asleep < nextMinute(last) ? asleep : undefined;
  };
  const nextTick = async (): Promise<number | undefined> => {
    if (last === undefined) return nextMinute(start - 1);
    // In real time, a tick does not wait for the work of the previous one.
    await world.quiet(AbortSignal.any([signal, AbortSignal.timeout(50_000)]));
    const records = await watched.contracts();
    await onRound(last, records);
    if (Number.isFinite(options.speed)) return nextMinute(last);
    const due = await watched.earliestDue();
    return nextMinuteWithWork(last, {
      cadenceMinutes: market.cadenceMinutes,
      start,
      change: earliest([
        upstream.nextChangeAfter(last),
        ...windowEndsAfter(last, records, upstream),
      ]),
      timer: earliest([due, ...records.map(nextWork)]),
    });
  };

  return {
    speed: options.speed,
    quiet: async (stopped) => {
      await world.quiet(stopped);
      onQuiet();
    },
    next: async () => {
      const waking = nextWaking();
      if (waking !== undefined) return waking;
      tick = await nextTick();
      if (tick === undefined || tick > market.end) return undefined;
      beforeTick(tick);
      return tick;
    },
    happen: (instant) => {
      world.wake();
      if (instant !== tick) return;
      last = instant;
      world.tick();
    },
  };
}

/**
 * The next times at which a poll may end an open episode of a rule with a window. This may happen
 * when a price leaves the window. For a moving average, it may also happen after each hundredth of
 * the window, while the window contains a change of the price.
 */
function windowEndsAfter(
  last: number,
  records: readonly ContractRecord[],
  upstream: Pick<Served, 'nextChangeAfter'>,
): readonly (number | undefined)[] {
  const open = records.filter(({ timers }) => timers.window !== undefined);
  const windows = new Set(open.flatMap(({ thresholdIndexes }) => windowsOf(thresholdIndexes)));
  const averaged = new Set(open.flatMap(({ thresholdIndexes }) => averagesOf(thresholdIndexes)));
  return [...windows].map((window) => {
    const change = upstream.nextChangeAfter(last - window);
    const isMoving = change !== undefined && change <= last && averaged.has(window);
    return isMoving ? Math.min(change + window, last + window / 100) : change && change + window;
  });
}

/** The windows of the pending watches on moving averages. */
function averagesOf(thresholdIndexes: readonly ThresholdIndexName[]): readonly number[] {
  return windowsOf(
    thresholdIndexes.filter(({ metric }) => metric !== 'all' && isContinuous(metric)),
  );
}

/** The number of values that were observed between two reads of the contract records. */
function newValues(before: readonly ContractRecord[], after: readonly ContractRecord[]): number {
  const known = new Map(before.map(({ contract, timeline }) => [contract, timeline.seq]));
  const made = after.map((record) => {
    const first = seriesIn(record).filter(
      ([series]) => newestOf(record, series) !== undefined,
    ).length;
    const seq = known.get(record.contract);
    return seq === undefined ? first : record.timeline.seq - seq;
  });
  return made.reduce((sum, count) => sum + count, 0);
}

const ARCHIVE_ALONE = { traits: 'archive', floor: 'archive', lowest: 'archive' } as const;
/** A killed run may have advanced the clock this far beyond its last tick. */
const WORK_AFTER_TICK = 60_000;
const aMonth = 2 ** 31 - 1;
