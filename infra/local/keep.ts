import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  CreateTopicCommand,
  paginateListSubscriptions,
  type SNSClient,
  SubscribeCommand,
} from '@aws-sdk/client-sns';
import * as z from 'zod';

/**
 * What outlives a run beside the table: the time, which must not run
 * backwards, and who is subscribed to what. Messages are only hints.
 */
const Kept = z.object({
  time: z.number().optional(),
  subscriptions: z
    .array(z.object({ TopicArn: z.string(), Protocol: z.string(), Endpoint: z.string() }))
    .default([]),
});
export type Kept = z.output<typeof Kept>;

/** Makes the folder if need be, and reads what an earlier run kept there. */
export async function readKept(folder: string | undefined): Promise<Kept> {
  if (folder === undefined) return { subscriptions: [] };
  await mkdir(folder, { recursive: true });
  const text = await readFile(fileIn(folder), 'utf8').catch(() => '{}');
  return Kept.parse(JSON.parse(text));
}

export async function restoreSubscriptions(sns: SNSClient, { subscriptions }: Kept): Promise<void> {
  for (const subscription of subscriptions) {
    const { TopicArn } = subscription;
    await sns.send(new CreateTopicCommand({ Name: TopicArn.slice(TopicArn.lastIndexOf(':') + 1) }));
    await sns.send(new SubscribeCommand(subscription));
  }
}

/** Keeps the present state; a crash leaves either this one or the one before. */
export async function keepState(folder: string, time: number, sns: SNSClient): Promise<void> {
  const subscriptions: unknown[] = [];
  for await (const { Subscriptions = [] } of paginateListSubscriptions({ client: sns }, {})) {
    subscriptions.push(...Subscriptions);
  }
  const kept = Kept.parse({ time, subscriptions });
  await writeFile(`${fileIn(folder)}.new`, JSON.stringify(kept));
  await rename(`${fileIn(folder)}.new`, fileIn(folder));
}

const fileIn = (folder: string) => join(folder, 'state.json');
