import { readFile, rename, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import {
  CreateTopicCommand,
  paginateListSubscriptions,
  type SNSClient,
  SubscribeCommand,
} from '@aws-sdk/client-sns';
import * as z from 'zod';
import { type MarketChoice, type Options, UsageError } from './options.ts';
import { codeOf, messageOf } from './system-error.ts';

/** Which market a run is of; another one's prices would not go with what is kept. */
const MarketIdentity = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('simulated'), seed: z.number(), from: z.number() }),
  z.object({ kind: z.literal('replayed'), folder: z.string(), from: z.number() }),
  z.object({ kind: z.literal('real') }),
]);
export type MarketIdentity = z.output<typeof MarketIdentity>;

/**
 * What outlives a run beside the table: the time, which must not run
 * backwards, the market, the key of what is sealed in the table, and who is subscribed to what.
 * Messages are only hints.
 */
const Kept = z.object({
  time: z.number().optional(),
  market: MarketIdentity.optional(),
  channelKey: z.string().optional(),
  subscriptions: z
    .array(z.object({ TopicArn: z.string(), Protocol: z.string(), Endpoint: z.string() }))
    .default([]),
});
export type Kept = z.output<typeof Kept>;

/** Reads what an earlier run kept in the folder. */
export async function readKept(folder: string): Promise<Kept> {
  try {
    return Kept.parse(JSON.parse(await readFile(fileIn(folder), 'utf8')));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { subscriptions: [] };
    const reason = codeOf(error) === undefined ? 'it is damaged' : messageOf(error);
    throw new UsageError(`--keep ${folder}: state.json cannot be read: ${reason}`, {
      cause: error,
    });
  }
}

/** The market of a run that begins at that instant. */
export function identityOf(market: MarketChoice, from: number): MarketIdentity {
  if (market.kind === 'real') return { kind: 'real' };
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
  if (kept.kind !== 'real' && from !== undefined && from !== kept.from) {
    const began = new Date(kept.from).toISOString();
    throw new UsageError(
      `--keep ${folder} holds a run from ${began}; leave --from out to go on with it`,
    );
  }
}

function inWords(market: MarketIdentity): string {
  if (market.kind === 'real') return 'the real service (UPSTREAM_URL)';
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

/** Keeps the present state; a crash leaves either this one or the one before. */
export async function keepState(
  folder: string,
  { time, market, channelKey }: Omit<Kept, 'subscriptions'>,
  sns: SNSClient,
): Promise<void> {
  const subscriptions: unknown[] = [];
  for await (const { Subscriptions = [] } of paginateListSubscriptions({ client: sns }, {})) {
    subscriptions.push(...Subscriptions);
  }
  const kept = Kept.parse({ time, market, channelKey, subscriptions });
  await writeFile(`${fileIn(folder)}.new`, JSON.stringify(kept));
  await rename(`${fileIn(folder)}.new`, fileIn(folder));
}

const fileIn = (folder: string) => join(folder, 'state.json');
