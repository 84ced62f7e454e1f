import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { codeOf } from '#infra/command-line/system-error.ts';
import { UsageError } from '#infra/command-line/usage-error.ts';
import { nextEventfulMinute } from '#infra/local/eventful-minute.ts';
import { createClock, passTime, type Timeline, wait } from '#infra/local/runtime/clock.ts';
import { startEngines, tableTypes } from '#infra/local/runtime/engines.ts';
import { type Runtime, startRuntime } from '#infra/local/runtime/runtime.ts';
import { region, TemplateError } from '#infra/local/runtime/template.ts';
import { announceStack } from '#infra/operate/local-stacks.ts';
import { publicHalfOf } from '#shared/clients/channel-key.ts';
import { nextMinute } from '#shared/domain/market/instant.ts';
import type { Provider } from '#shared/domain/market/provider.ts';
import { ContractMessage } from '#shared/domain/messages/contract-message.ts';
import { type ContractRecord, partsOf } from '#shared/domain/polling/contract-record.ts';
import { tableRuntime } from '#shared/runtime/table-runtime.ts';
import {
  allProvidersVariables,
  cadenceVariables,
  upstreamLimitVariables,
} from '#shared/runtime/upstream-variables.ts';
import { createBulkTable } from '#shared/stores/dynamo-bulk-table.ts';
import { createFloorArchive } from '#shared/stores/history-store.ts';
import { claimFolder } from './claim-folder.ts';
import {
  createKeeper,
  expectKeptMarket,
  identityOf,
  type Keeper,
  type Kept,
  nothingKept,
  readKept,
  restoreSubscriptions,
} from './keep.ts';
import { createKeyRenewal } from './live/key-renewal.ts';
import { createMailbox, type Notification } from './mailbox.ts';
import type { Market, Served } from './market.ts';
import { openMarket } from './open-market.ts';
import type { Options } from './options.ts';
import { demoChannels } from './receivers/demo-channels.ts';
import { type DemoQueue, makeDemoQueue } from './receivers/demo-queue.ts';
import { EMAIL_SENDER, startReceivers } from './receivers/start-receivers.ts';
import type { End, Report } from './report.ts';
import { sessionKey } from './session-key.ts';
import { projectRoot, synthesizeStack } from './synthesize.ts';
import { readUnanswered } from './unanswered.ts';
import { earliest, nextWork, readWatchedTable, type WatchedTable } from './watched-table.ts';
import { applyWatchlists, muteRule, readWatchlists } from './watchlists.ts';

const upstreamKeyParameter = '/floorwatch/local/upstream-key';
const slackWebhookParameter = '/floorwatch/local/slack-webhook';
const channelKeyParameter = '/floorwatch/local/channel-key';
const channelPublicKeyParameter = '/floorwatch/local/channel-public-key';
const linkKeyParameter = '/floorwatch/local/link-key';
const keyParameterOf = (provider: Provider) => `/floorwatch/local/${provider}-key`;
const operator = 'operators@floorwatch.example';

export type SessionOptions = {
  readonly options: Options;
  readonly report: Report;
  readonly onFailure: (error: unknown) => void;
  readonly log: (functionName: string, line: string) => void;
  /** Ends the session, as Ctrl-C does. */
  readonly signal: AbortSignal;
};

/** Runs the stack beside a market until its time is over or it is stopped. */
export async function runSession(session: SessionOptions): Promise<End> {
  const { options, report, log, onFailure, signal } = session;
  await using open = new AsyncDisposableStack();
  const given =
    options.watchlists === undefined ? undefined : await readWatchlists(options.watchlists);
  if (options.keep !== undefined) open.defer(await claimFolder(options.keep));
  const kept = await readKeptFor(options);
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

  const assembly = await mkdtemp(join(tmpdir(), 'floorwatch-'));
  open.defer(async () => await rm(assembly, { recursive: true, force: true }));
  let keeper: Keeper | undefined;
  let queue: DemoQueue | undefined;
  // Read at each request: the provider's key may be replaced.
  const parameters = new Map([
    [upstreamKeyParameter, market.upstreamKey],
    [channelKeyParameter, kept.channelKey],
    [channelPublicKeyParameter, publicHalfOf(kept.channelKey)],
    [linkKeyParameter, kept.linkKey],
    [slackWebhookParameter, 'https://hooks.slack.com/services/T000/B000/local'],
    ...others.map(({ provider, key }) => [keyParameterOf(provider), key] as const),
  ]);
  const [template, engines] = await Promise.all([
    synthesizeStack(
      {
        ...market.stage,
        ...(options.archive && { nftDataSources: ARCHIVE_ALONE }),
        upstreamUrl: upstream.url,
        chatOrigins: receivers.chatOrigins,
        emailSender: EMAIL_SENDER,
        slackWebhookParameter,
        channelKeyParameter,
        channelPublicKeyParameter,
        linkKeyParameter,
        webhookDestinations: 'loopback-only',
        upstreamKeyParameter,
        otherProviders: others.map(({ provider, url, limits }) => {
          return { provider, url, keyParameter: keyParameterOf(provider), ...limits };
        }),
        operatorEmails: [operator],
        // What is printed of an alert is what the operators get.
        operatorAlerts: 'all',
      },
      assembly,
    ),
    startEngines({
      folder: options.keep && join(options.keep, kept.table),
      parameters,
      now: clock.now,
      sesUrl: receivers.sesUrl,
      onPublish: async (publication) => {
        if (
          publication.topicArn.endsWith(':alerts-of-floorwatch-local') &&
          publication.messages.sqs
        ) {
          const alerts = alertsIn(JSON.parse(publication.messages.sqs));
          counts.alerts += alerts.length;
          for (const alert of alerts) report.alert(alert);
        }
        await mailbox.receive(publication, engines.sns);
        await queue?.read();
      },
      onSubscriptionsChange: async () => await keeper?.keepSubscriptions(),
    }),
  ]);
  open.defer(engines.close);
  queue = await makeDemoQueue(engines.sqs, mailbox.deliver);
  await restoreSubscriptions(engines.sns, kept);

  let polled = 0;
  // Where time is skipped, there is a moment between a minute's begin and its tick: as of then, a
  // stack that is well would look as if it had stood still.
  let quietAt = market.start;
  const noticeUnanswered = readUnanswered(report.unanswered);
  const runtime: Runtime = await startRuntime({
    template,
    engines,
    clock,
    functionsFolder: join(projectRoot, 'functions'),
    log: (functionName, line) => {
      log(functionName, line);
      noticeUnanswered(line);
    },
    onFailure: (error) => {
      if (!open.disposed) onFailure(error);
    },
    onMessage: (body) => {
      if (ContractMessage.safeParse(JSON.parse(body)).data?.kind === 'poll') polled += 1;
    },
    port: options.port,
    pages: {
      '/local/mailbox': async () => mailbox.notifications(),
      '/local/status': async () => ({
        time: new Date(options.speed === 1 ? clock.now() : quietAt).toISOString(),
        ...counts,
        queues: await engines.queues(),
        sqs: { endpoint: engines.queueOrigin, region },
        dynamodb: { endpoint: engines.tableOrigin, region, table: tableOf(runtime) },
        promised: promisedBy(runtime),
      }),
    },
  }).catch((error: unknown) => {
    throw portProblem(error, options.port) ?? error;
  });
  open.defer(runtime.close);
  if (options.keep !== undefined) {
    const identity = kept.market ?? identityOf(options.market, market.start);
    const { port } = new URL(receivers.webhookOrigin);
    const { instantKey = kept.instantKey } = market;
    const run = {
      ...{ ...kept, time: clock.now(), market: identity, webhookPort: Number(port) },
      ...(instantKey === undefined ? {} : { instantKey }),
    };
    keeper = createKeeper(options.keep, run, engines.sns);
    await keeper.keepSubscriptions();
  }

  const tableName = tableOf(runtime);
  const watched = readWatchedTable(engines.dynamodb, tableName);
  let known = await watched.contracts();
  const { url } = runtime.gateway;
  open.defer(await announceStack(url));
  const keyOf = (tenant: string) => sessionKey(engines.dynamodb, tableName, tenant, clock.now());
  const [apiKey, neighbourKey] = await Promise.all([keyOf('local'), keyOf('neighbour')]);
  const isNew = kept.time === undefined;
  // Before the first poll: charts and changes of the console are full from the start.
  if (isNew && market.pastFloors) {
    const table = createBulkTable(engines.dynamodb, tableName, tableRuntime);
    await createFloorArchive(table).putFloors(market.pastFloors(), clock.now());
  }
  const channels = demoChannels(receivers, kept.webhookSecret, queue.arn, options.tour);
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
            await keeper?.keepKey(renewed);
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
    runtime,
    watched,
    start: clock.now(),
    signal: stopping,
    onQuiet: () => {
      quietAt = clock.now();
    },
    beforeTick: async (instant) => await keeper?.keepTime(instant + WORK_AFTER_TICK),
    onRound: async (instant, records) => {
      counts.rounds += 1;
      await renewKey();
      report.round({ instant, polled, values: newValues(known, records) });
      known = records;
      polled = 0;
    },
  });
  const end = await passTime(clock, timeline, stopping);
  if (end === 'ended' && !options.exitAtEnd) {
    report.ended();
    await wait(aMonth, stopping);
  }
  await runtime.quiet(AbortSignal.timeout(5000));
  await keeper?.keepTime(clock.now());
  const deadLetters = await runtime.deadLetters();
  return {
    reason: end === 'ended' ? 'end' : signal.aborted ? 'signal' : 'time',
    time: new Date(clock.now()).toISOString(),
    ...counts,
    deadLetters: Object.fromEntries(deadLetters.map(({ name, waiting }) => [name, waiting])),
  };
}

function countOf({ kind }: Notification): 'emails' | 'chats' | 'webhooks' | 'queued' {
  if (kind === 'email') return 'emails';
  if (kind === 'sqs') return 'queued';
  return kind === 'webhook' ? 'webhooks' : 'chats';
}

/** The alert that was published, or those that a digest lists. */
function alertsIn(published: unknown): readonly unknown[] {
  return Digest.safeParse(published).data?.alerts ?? [published];
}

const Digest = z.object({ kind: z.literal('digest'), alerts: z.array(z.unknown()) });

async function readKeptFor({ keep, market, from }: Options): Promise<Kept> {
  if (keep === undefined) return await nothingKept();
  const kept = await readKept(keep);
  expectKeptMarket(keep, kept, { market, from });
  return kept;
}

/** What keeps the interface from the port that was asked for; undefined if it is something else. */
function portProblem(error: unknown, port: number): UsageError | undefined {
  const reason = { EADDRINUSE: 'is in use', EACCES: 'is not allowed' }[String(codeOf(error))];
  return port !== 0 && reason ? new UsageError(`--port ${port} ${reason}`) : undefined;
}

type TimelineOptions = {
  readonly options: Options;
  readonly market: Market;
  readonly upstream: Served;
  readonly runtime: Runtime;
  readonly watched: WatchedTable;
  readonly start: number;
  readonly signal: AbortSignal;
  /** Called when nothing waits and nothing runs. */
  readonly onQuiet: () => void;
  /** Writes down that time has come this far, before anything happens there. */
  readonly beforeTick: (instant: number) => Promise<void>;
  /** Called with the last tick when everything that it set off is done. */
  readonly onRound: (instant: number, records: readonly ContractRecord[]) => Promise<void>;
};

/** Ticks from minute to minute, or at full speed from one minute that matters to the next. */
function createTimeline(timeline: TimelineOptions): Timeline {
  const { options, market, upstream, runtime, watched, start, signal } = timeline;
  const { onQuiet, beforeTick, onRound } = timeline;
  let last: number | undefined;
  let tick: number | undefined;

  /** When a function that sleeps within the minute of the last tick is to go on. */
  const nextWaking = (): number | undefined => {
    // In real time it goes on by itself.
    if (options.speed === 1 || last === undefined) return undefined;
    const asleep = runtime.asleepUntil();
    return asleep !== undefined && asleep < nextMinute(last) ? asleep : undefined;
  };
  const nextTick = async (): Promise<number | undefined> => {
    if (last === undefined) return nextMinute(start - 1);
    // In real time the next tick does not wait for the work of this one.
    await runtime.quiet(AbortSignal.any([signal, AbortSignal.timeout(50_000)]));
    const records = await watched.contracts();
    await onRound(last, records);
    if (Number.isFinite(options.speed)) return nextMinute(last);
    const due = await watched.earliestDue();
    return nextEventfulMinute(last, {
      cadenceMinutes: market.cadenceMinutes,
      start,
      change: upstream.nextChangeAfter(last),
      timer: earliest([due, ...records.map(nextWork)]),
    });
  };

  return {
    speed: options.speed,
    quiet: async (stopped) => {
      await runtime.quiet(stopped);
      onQuiet();
    },
    next: async () => {
      const waking = nextWaking();
      if (waking !== undefined) return waking;
      tick = await nextTick();
      if (tick === undefined || tick > market.end) return undefined;
      await beforeTick(tick);
      return tick;
    },
    happen: (instant) => {
      runtime.wake();
      if (instant !== tick) return;
      last = instant;
      runtime.tick(instant);
    },
  };
}

/** How many observations were made between two looks at the registry. */
function newValues(before: readonly ContractRecord[], after: readonly ContractRecord[]): number {
  const known = new Map(before.map(({ contract, seq }) => [contract, seq]));
  const made = after.map((record) => {
    const first = partsOf(record).filter(([, { newest }]) => newest !== undefined).length;
    const seq = known.get(record.contract);
    return seq === undefined ? first : record.seq - seq;
  });
  return made.reduce((sum, count) => sum + count, 0);
}

function tableOf({ stack }: Runtime): string {
  const [table] = tableTypes.flatMap((type) => stack.find(type, z.object({})));
  if (!table) throw new TemplateError('the template holds no table');
  return table.ref;
}

/** What may be spent at the upstream, and how often it is asked, as the functions' environment has it. */
function promisedBy({ stack }: Runtime) {
  const variablesOf = (folder: string) =>
    stack
      .find('AWS::Lambda::Function', FunctionProperties)
      .find(({ metadata }) => metadata['floorwatch:folder'] === folder)?.properties.Environment
      .Variables;
  const limits = Limits.parse(variablesOf('dispatch-work'));
  const { OTHER_PROVIDERS: others } = Others.parse(variablesOf('run-contracts'));
  return {
    provider: limits.UPSTREAM_PROVIDER,
    others: others.map(({ provider }) => provider),
    budgetPerDay: limits.UPSTREAM_BUDGET_PER_DAY,
    budgetPerMonth: limits.UPSTREAM_BUDGET_PER_MONTH,
    cadenceMinutes: limits.POLL_CADENCE_MINUTES,
  };
}

const FunctionProperties = z.object({
  Environment: z.object({ Variables: z.record(z.string(), z.unknown()) }),
});
const Limits = z.object({ ...upstreamLimitVariables, ...cadenceVariables });
const Others = z.object(allProvidersVariables).pick({ OTHER_PROVIDERS: true });

const ARCHIVE_ALONE = { traits: 'archive', floor: 'archive', lowest: 'archive' } as const;
/** A run that is killed may have come this far beyond its last tick. */
const WORK_AFTER_TICK = 60_000;
const aMonth = 2 ** 31 - 1;
