import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { formatApiKey } from '#shared/domain/access/api-key.ts';
import { toApiKeyItem } from '#shared/stores/api-key-store.ts';
import { UsageError } from './options.ts';

/** A watchlist as far as this runtime looks into it; the HTTP interface judges the rest. */
const WatchlistDocument = z.looseObject({
  contracts: z
    .array(z.union([z.string(), z.looseObject({ contract: z.string() })]))
    .readonly()
    .catch([]),
});
export type WatchlistDocument = z.output<typeof WatchlistDocument>;

/** The watchlists of a file: one document or an array of them. */
export async function readWatchlists(file: string): Promise<readonly WatchlistDocument[]> {
  const content = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new UsageError(`--watchlists ${file} cannot be read`, { cause: error });
  });
  try {
    const documents: unknown = JSON.parse(content);
    return z.array(WatchlistDocument).parse(Array.isArray(documents) ? documents : [documents]);
  } catch (error) {
    throw new UsageError(`--watchlists ${file} holds no watchlists in JSON`, { cause: error });
  }
}

/** The contracts that the documents watch. */
export function contractsOf(documents: readonly WatchlistDocument[]): ReadonlySet<string> {
  const contracts = documents.flatMap((document) => document.contracts);
  return new Set(
    contracts.map((member) =>
      (typeof member === 'string' ? member : member.contract).toLowerCase(),
    ),
  );
}

/** Creates the watchlists over the HTTP interface, as anybody would, and gives their ids. */
export async function createWatchlists(
  url: string,
  apiKey: string,
  documents: readonly WatchlistDocument[],
): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const document of documents) {
    const response = await fetch(`${url}/v1/watchlists`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify(document),
    });
    const answer = await response.text();
    // One that was kept from an earlier run is as good as a new one.
    const isKnown = response.status === 409 && typeof document.id === 'string';
    if (!response.ok && !isKnown) {
      const { detail = answer } = Problem.safeParse(JSON.parse(answer)).data ?? {};
      throw new UsageError(`a watchlist was refused with ${response.status}: ${detail}`);
    }
    ids.push(isKnown ? String(document.id) : Created.parse(JSON.parse(answer)).id);
  }
  return ids;
}

/** Hands out a key for a tenant; the table gets its hash, as everywhere. */
export async function createApiKey(
  dynamodb: DynamoDBClient,
  tableName: string,
  tenant: string,
  now: number,
): Promise<string> {
  const key = formatApiKey(randomBytes(32));
  const Item = toApiKeyItem(key, { tenant, scopes: ['read', 'write', 'admin'], createdAt: now });
  const documents = DynamoDBDocumentClient.from(dynamodb);
  await documents.send(new PutCommand({ TableName: tableName, Item }));
  return key;
}

const Problem = z.object({ detail: z.string().optional() });
const Created = z.object({ id: z.string() });
