import { randomBytes, randomUUID } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import {
  CreateTopicCommand,
  GetSubscriptionAttributesCommand,
  paginateListSubscriptions,
  type SNSClient,
  SubscribeCommand,
  type Subscription,
} from '@aws-sdk/client-sns';
import * as z from 'zod';
import { codeOf, messageOf } from '#infra/command-line/system-error.ts';
import { UsageError } from '#infra/command-line/usage-error.ts';
import { isChannelKey, makeChannelKey } from '#shared/clients/channel-key.ts';
import type { InstantKey } from '#shared/providers/opensea/answers.ts';
import type { MarketChoice, Options } from './options.ts';

/** Which market a run is of; another one's prices would not go with what is kept. */
const MarketIdentity = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('simulated'), seed: z.number(), from: z.number() }),
  z.object({ kind: z.literal('replayed'), folder: z.string(), from: z.number() }),
  z.object({ kind: z.literal('real') }),
  z.object({ kind: z.literal('live') }),
]);
export type MarketIdentity = z.output<typeof MarketIdentity>;

/**
 * What outlives a run: the time, which must not run backwards, the market, the table, the keys of
 * what is sealed in it and of links, where webhooks go, and the subscriptions. Messages are only hints.
 *
 * Nothing is kept before the table is there: what is left of one that was never finished, a run
 * that goes on does not see.
 */
const Kept = z.object({
  time: z.number().optional(),
  market: MarketIdentity.optional(),
  /** The folder of the table, within that of the run. */
  table: z.string(),
  channelKey: z.string().refine(isChannelKey),
  /** What addresses in messages are signed with. */
  linkKey: z.string().min(1),
  /** Where the receiver of webhooks is (0 for anywhere), and what it expects to be signed with. */
  webhookPort: z.number(),
  webhookSecret: z.string(),
  /** The key that OpenSea made. */
  instantKey: z
    .object({ key: z.string(), endsAt: z.number(), readsPerHour: z.number() })
    .optional(),
  subscriptions: z
    .array(
      z.object({
        TopicArn: z.string(),
        Protocol: z.string(),
        Endpoint: z.string(),
        Attributes: z.record(z.string(), z.string()).optional(),
      }),
    )
    .default([]),
});
export type Kept = z.output<typeof Kept>;

/** Reads what an earlier run kept in the folder. */
export async function readKept(folder: string): Promise<Kept> {
  try {
    return Kept.parse(JSON.parse(await readFile(fileIn(folder), 'utf8')));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return await nothingKept();
    const reason = codeOf(error) === undefined ? 'it is damaged' : messageOf(error);
    throw new UsageError(`--keep ${folder}: state.json cannot be read: ${reason}`, {
      cause: error,
    });
  }
}

export async function nothingKept(): Promise<Kept> {
  return {
    table: `table-${randomUUID()}`,
    channelKey: await makeChannelKey(),
    linkKey: randomBytes(32).toString('base64url'),
    webhookPort: 0,
    webhookSecret: `whsec_${randomBytes(32).toString('base64')}`,
    subscriptions: [],
  };
}

/** The market of a run that begins at that instant. */
export function identityOf(market: MarketChoice, from: number): MarketIdentity {
  if (market.kind === 'real' || market.kind === 'live') return { kind: market.kind };
  return market.kind === 'simulated'
    ? { kind: 'simulated', seed: market.seed, from }
    : { kind: 'replayed', folder: resolve(market.folder), from };
}

/** Refuses to go on with another market than the one that is kept. */
export function expectKeptMarket(
  folder: string,
  { market: kept }: Kept,
  { market, from }: Pick<Options, 'market' | 'from'>,
): void {
  if (!kept) return;
  const [before, now] = [kept, identityOf(market, 0)].map(inWords);
  if (before !== now) throw new UsageError(`--keep ${folder} holds ${before}, not ${now}`);
  if ('from' in kept && from !== undefined && from !== kept.from) {
    const began = new Date(kept.from).toISOString();
    throw new UsageError(
      `--keep ${folder} holds a run from ${began}; leave --from out to go on with it`,
    );
  }
}

function inWords(market: MarketIdentity): string {
  if (market.kind === 'real') return 'the real service (UPSTREAM_URL)';
  if (market.kind === 'live') return 'real prices (--live)';
  return market.kind === 'simulated'
    ? `the simulated market of --seed ${market.seed}`
    : `--data ${market.folder}`;
}

export async function restoreSubscriptions(sns: SNSClient, { subscriptions }: Kept): Promise<void> {
  for (const subscription of subscriptions) {
    const { TopicArn } = subscription;
    await sns.send(new CreateTopicCommand({ Name: TopicArn.slice(TopicArn.lastIndexOf(':') + 1) }));
    await sns.send(new SubscribeCommand(subscription));
  }
}

/** Writes down what must outlive the run, one state after the other. */
export type Keeper = {
  /** From now on a run that goes on from here begins at that time. */
  readonly keepTime: (time: number) => Promise<void>;
  readonly keepSubscriptions: () => Promise<void>;
  readonly keepKey: (instantKey: InstantKey) => Promise<void>;
};

export function createKeeper(
  folder: string,
  { time: begun, instantKey: firstKey, ...run }: Omit<Kept, 'subscriptions'>,
  sns: SNSClient,
): Keeper {
  let time = begun;
  let instantKey = firstKey;
  let written = Promise.resolve();
  const write = () => {
    const next = () => keepState(folder, { time, ...run, ...(instantKey && { instantKey }) }, sns);
    written = written.then(next, next);
    return written;
  };
  return {
    keepTime: (instant) => {
      time = instant;
      return write();
    },
    keepSubscriptions: write,
    keepKey: (renewed) => {
      instantKey = renewed;
      return write();
    },
  };
}

/** Nothing where it filters nothing, as those of the template, which are made without attributes. */
async function whatItFilters(
  sns: SNSClient,
  { SubscriptionArn }: Subscription,
): Promise<Record<string, string> | undefined> {
  const { Attributes: { FilterPolicy, RawMessageDelivery } = {} } = await sns.send(
    new GetSubscriptionAttributesCommand({ SubscriptionArn }),
  );
  if (FilterPolicy === undefined) return undefined;
  return { FilterPolicy, ...(RawMessageDelivery === 'true' && { RawMessageDelivery }) };
}

/** A crash leaves either this state or the one before. */
async function keepState(
  folder: string,
  run: Omit<Kept, 'subscriptions'>,
  sns: SNSClient,
): Promise<void> {
  const subscriptions: unknown[] = [];
  for await (const { Subscriptions = [] } of paginateListSubscriptions({ client: sns }, {})) {
    for (const subscription of Subscriptions) {
      const Attributes = await whatItFilters(sns, subscription);
      subscriptions.push({ ...subscription, ...(Attributes && { Attributes }) });
    }
  }
  const kept = Kept.parse({ ...run, subscriptions });
  // It holds keys.
  await writeFile(`${fileIn(folder)}.new`, JSON.stringify(kept), { mode: 0o600 });
  await rename(`${fileIn(folder)}.new`, fileIn(folder));
}

const fileIn = (folder: string) => join(folder, 'state.json');
