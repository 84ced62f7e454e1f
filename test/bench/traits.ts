import { createReadStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';
import { createArchiveSource } from '#functions/serve-nft-data/archive-source.ts';
import { createMemoryTable } from '#infra/local/memory-table.ts';
import { TokenLine, tokenIn } from '#shared/domain/archive/import-line.ts';
import { traitsOf } from '#shared/domain/archive/token.ts';
import { contractOf } from '#shared/domain/market/contract.ts';
import { createArchiveStore } from '#shared/stores/archive-store.ts';
import { createTokenArchive } from '#shared/stores/token-store.ts';
import { benchOptions } from '#test/support/bench-options.ts';
import { NOON, PUNKS } from '#test/support/builders.ts';

/**
 * A search for a common trait, compared with a join of two tables in `node:sqlite`. Both searches
 * return the first hundred of the 2,459 CryptoPunks with an earring. The searches alternate, and
 * the benchmark compares their CPU time.
 */
const values = benchOptions('bench:traits', { turns: { type: 'string', default: '300' } });
const TURNS = Number(values.turns);
const WARM_UP = 300;
const LIMIT = 100;
const WANTED = ['earring', 'earring'] as const;
const FILE = join(process.cwd(), '..', 'shared', 'data', 'cryptopunks', 'tokens.jsonl.gz');

if (!existsSync(FILE)) {
  process.stderr.write(`skipped: no real tokens at ${FILE}\n`);
  process.exit(0);
}
const lines = (await text(createReadStream(FILE).pipe(createGunzip()))).trim().split('\n');
const tokens = lines.map((line) => tokenIn(TokenLine.parse(JSON.parse(line))));

const table = createMemoryTable();
await createTokenArchive(table).putTokens(tokens, 'bench');
const ask = createArchiveSource({ now: () => NOON, ...createArchiveStore(table) });

// A static import would fail in linters and older versions of Node.
const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
const database = new DatabaseSync(':memory:');
database.exec('create table tokens (id integer primary key, record text) strict');
database.exec('create table traits (trait text, id integer, primary key (trait, id)) strict');
const putToken = database.prepare('insert into tokens values (?, ?)');
const putTrait = database.prepare('insert or ignore into traits values (?, ?)');
database.exec('begin');
for (const { id, record } of tokens) {
  putToken.run(id, JSON.stringify(record));
  for (const trait of traitsOf(record)) putTrait.run(JSON.stringify(trait), id);
}
database.exec('commit');
const search = database.prepare(
  'select record from traits join tokens using (id) where trait = ? order by id limit ?',
);

async function ours(): Promise<string> {
  const contract = contractOf(PUNKS);
  const answer = await ask(
    {
      ...{ operation: 'traits', contract, chain: contract.chain, limit: LIMIT },
      ...{ traits: [WANTED], body: '' },
    },
    AbortSignal.timeout(60_000),
  );
  if (answer.kind !== 'ok') throw new Error(`the archive returned ${answer.kind}`);
  return answer.body;
}

function theirs(): string {
  const found = search.all(JSON.stringify(WANTED), LIMIT + 1);
  const records = found.slice(0, LIMIT).map(({ record }) => String(record));
  return `{"result":[${records.join(',')}]}`;
}

const sizes = [await ours(), theirs()].map((body) => JSON.parse(body).result.length);
if (sizes.some((size) => size !== LIMIT)) throw new Error(`found ${sizes.join(' and ')}`);
const spent = { ours: 0, theirs: 0 };
for (let turn = -WARM_UP; turn < TURNS; turn += 1) {
  const begun = process.cpuUsage();
  await ours();
  const between = process.cpuUsage(begun);
  const begunAgain = process.cpuUsage();
  theirs();
  const after = process.cpuUsage(begunAgain);
  if (turn < 0) continue;
  spent.ours += between.user + between.system;
  spent.theirs += after.user + after.system;
}
const milliseconds = (microseconds: number) => (microseconds / TURNS / 1000).toFixed(2).padStart(7);
process.stdout.write(
  `${TURNS} searches for a common trait, processor time of each\n` +
    `  the archive               ${milliseconds(spent.ours)} ms\n` +
    `  a join in node:sqlite     ${milliseconds(spent.theirs)} ms\n` +
    `  ratio                     ${(spent.ours / spent.theirs).toFixed(2).padStart(7)}\n`,
);
