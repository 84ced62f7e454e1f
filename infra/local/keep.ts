import { randomBytes } from 'node:crypto';
import { chmodSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
// biome-ignore lint/correctness/noUnresolvedImports: the linter does not know this module of Node 24
import { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import { messageOf } from '#infra/command-line/system-error.ts';
import { UsageError } from '#infra/command-line/usage-error.ts';
import { isChannelKey, makeChannelKey } from '#shared/clients/channel-key.ts';
import { isPushKey, makePushKey } from '#shared/clients/push-key.ts';
import { JsonText } from '#shared/domain/json-text.ts';
import type { BulkTable } from '#shared/stores/bulk-table.ts';
import { type KeptTopics, NO_TOPICS } from './local-topics.ts';
import { createMemoryTable } from './memory-table.ts';
import type { MarketChoice, Options } from './options.ts';
import { createSqliteTable } from './sqlite-table.ts';
import { type KeptMessages, NOT_KEPT } from './world-queues.ts';
import { QUEUES } from './world-variables.ts';

/** Identifies the market of a run. Prices of another market would not match the stored data. */
const MarketIdentity = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('simulated'), seed: z.number(), from: z.number() }),
  z.object({ kind: z.literal('replayed'), folder: z.string(), from: z.number() }),
  z.object({ kind: z.literal('real') }),
  z.object({ kind: z.literal('live') }),
]);
export type MarketIdentity = z.output<typeof MarketIdentity>;

/**
 * The stored state of a run besides its table, messages and topics. The time is stored because it
 * must not run backwards, and the keys because they decrypt secrets in the table.
 */
const Kept = z.object({
  time: z.number().optional(),
  market: MarketIdentity.optional(),
  channelKey: z.string().refine(isChannelKey),
  /** The private key for Web Push. */
  pushKey: z.string().refine(isPushKey).default(makePushKey),
  /** The key that signs URLs in messages. */
  linkKey: z.string().min(1),
  /** The port of the webhook receiver (0 for any), and the secret that signs webhooks. */
  webhookPort: z.number(),
  webhookSecret: z.string(),
  /** The API key that OpenSea created without an account, with its expiry and its rate. */
  instantKey: z
    .object({ key: z.string(), endsAt: z.number(), readsPerHour: z.number() })
    .optional(),
});
export type Kept = z.output<typeof Kept>;

/** The data of a run that outlive its process. */
export type Store = {
  readonly table: BulkTable;
  readonly messages: KeptMessages;
  readonly topics: KeptTopics;
  readonly kept: () => Kept;
  readonly keep: (changes: Partial<Kept>) => void;
  readonly close: () => void;
};

/**
 * Opens the file of an earlier run, or creates it. Without a file, the data are lost when the
 * process ends.
 */
export async function openStore(file: string | undefined): Promise<Store> {
  if (file === undefined) return inMemory(await nothingKept());
  const database = openDatabase(file);
  try {
    return inDatabase(database, await nothingKept());
  } catch (error) {
    database.close();
    throw new UsageError(`--keep ${file} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

function inMemory(first: Kept): Store {
  let kept = first;
  return {
    table: createMemoryTable(),
    messages: NOT_KEPT,
    topics: NO_TOPICS,
    kept: () => kept,
    keep: (changes) => {
      kept = { ...kept, ...changes };
    },
    close: () => {},
  };
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS state (id INTEGER PRIMARY KEY CHECK (id = 1), value TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS messages (id TEXT PRIMARY KEY, value TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS topics (arn TEXT PRIMARY KEY, value TEXT NOT NULL);
`;

/** SQLite's journal makes each write atomic, even if the process is killed. */
function inDatabase(database: DatabaseSync, first: Kept): Store {
  const table = createSqliteTable(database);
  database.exec(SCHEMA);
  const readAll = (name: 'messages' | 'topics') =>
    database
      .prepare(`SELECT value FROM ${name} ORDER BY rowid`)
      .all()
      .map((row) => Row.parse(row).value);
  const put = {
    messages: database.prepare('INSERT OR REPLACE INTO messages (id, value) VALUES (?, ?)'),
    topics: database.prepare('INSERT OR REPLACE INTO topics (arn, value) VALUES (?, ?)'),
    state: database.prepare('INSERT OR REPLACE INTO state (id, value) VALUES (1, ?)'),
  };
  const removeMessage = database.prepare('DELETE FROM messages WHERE id = ?');
  const removeTopic = database.prepare('DELETE FROM topics WHERE arn = ?');
  const found = database.prepare('SELECT value FROM state').get();
  let kept = found === undefined ? first : JsonText.pipe(Kept).parse(Row.parse(found).value);
  const write = () => put.state.run(JSON.stringify(kept));
  write();

  return {
    table,
    messages: {
      all: () => readAll('messages').map((text) => KeptMessage.parse(JSON.parse(text))),
      add: (message) => put.messages.run(message.id, JSON.stringify(message)),
      remove: (id) => removeMessage.run(id),
    },
    topics: {
      all: () => readAll('topics').map((text) => KeptTopic.parse(JSON.parse(text))),
      add: (topic) => put.topics.run(topic.arn, JSON.stringify(topic)),
      remove: (arn) => removeTopic.run(arn),
    },
    kept: () => kept,
    keep: (changes) => {
      kept = { ...kept, ...changes };
      write();
    },
    close: () => database.close(),
  };
}

const Row = z.object({ value: z.string() });
const KeptMessage = z
  .object({
    ...{ id: z.string(), queue: z.enum(QUEUES), group: z.string(), body: z.string() },
    ...{ trace: z.string().optional(), sentAt: z.number() },
  })
  .transform((message) => ({ trace: undefined, ...message }));
const KeptTopic = z.object({
  arn: z.string(),
  protocol: z.enum(['email', 'sqs']),
  endpoint: z.string(),
});

/** Opens the file for exclusive use by this process. */
function openDatabase(file: string): DatabaseSync {
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UsageError(
      `--keep ${file} is a folder, perhaps from an older version: give the name of a file`,
    );
  }
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { timeout: 0 });
    database.exec(`
      PRAGMA locking_mode = EXCLUSIVE;
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = NORMAL;
      BEGIN IMMEDIATE;
      COMMIT;
    `);
    // The file contains keys.
    chmodSync(file, 0o600);
    return database;
  } catch (error) {
    database?.close();
    const reason = messageOf(error);
    const why = /locked/.test(reason)
      ? 'is in use by another process: stop it, or give another file'
      : `cannot be used: ${reason}`;
    throw new UsageError(`--keep ${file} ${why}`, { cause: error });
  }
}

async function nothingKept(): Promise<Kept> {
  return {
    channelKey: await makeChannelKey(),
    pushKey: makePushKey(),
    linkKey: randomBytes(32).toString('base64url'),
    webhookPort: 0,
    webhookSecret: `whsec_${randomBytes(32).toString('base64')}`,
  };
}

/** The identity of a run's market; `from` is the start of the run. */
export function identityOf(market: MarketChoice, from: number): MarketIdentity {
  if (market.kind === 'real' || market.kind === 'live') return { kind: market.kind };
  return market.kind === 'simulated'
    ? { kind: 'simulated', seed: market.seed, from }
    : { kind: 'replayed', folder: resolve(market.folder), from };
}

/** Rejects a market that differs from the stored one. */
export function expectKeptMarket(
  folder: string,
  { market: kept }: Kept,
  { market, from }: Pick<Options, 'market' | 'from'>,
): void {
  if (!kept) return;
  const [before, now] = [kept, identityOf(market, 0)].map(inWords);
  if (before !== now)
    throw new UsageError(
      `--keep ${folder} contains a run of ${before}, not of ${now}: give the same options, or another file`,
    );
  if ('from' in kept && from !== undefined && from !== kept.from) {
    const began = new Date(kept.from).toISOString();
    throw new UsageError(
      `--keep ${folder} contains a run that starts at ${began}: omit --from to continue it`,
    );
  }
}

function inWords(market: MarketIdentity): string {
  if (market.kind === 'real') return 'a real service (UPSTREAM_URL)';
  if (market.kind === 'live') return 'real prices (--live)';
  return market.kind === 'simulated'
    ? `the simulated market (--seed ${market.seed})`
    : `recorded data (--data ${market.folder})`;
}
