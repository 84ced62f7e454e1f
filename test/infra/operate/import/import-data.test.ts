import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { UsageError } from '#infra/command-line/usage-error.ts';
import { createMemoryTable, type MemoryTable } from '#infra/local/memory-table.ts';
import { importData, type LineCounts } from '#infra/operate/import/import-data.ts';
import { type Trait, traitKey } from '#shared/domain/archive/token.ts';
import { DAY } from '#shared/domain/market/instant.ts';
import type { BulkTable } from '#shared/stores/bulk-table.ts';
import { createFloorArchive, createHistoryStore } from '#shared/stores/history-store.ts';
import { createImportStore } from '#shared/stores/import-store.ts';
import { createTokenArchive, createTokenStore } from '#shared/stores/token-store.ts';
import { createTradeArchive, createTradeStore } from '#shared/stores/trade-store.ts';
import { eth, instant, NOON } from '#test/support/builders.ts';
import { casesOf } from '#test/support/extent.ts';
import {
  aFloorLine,
  aTokenLine,
  aTradeLine,
  PUNKS,
  toLines,
  writeMarketFiles,
} from '#test/support/market-files.ts';

const DAWN = '2021-08-03T05:00:00';
const CAP: Trait = ['hat', 'cap'];
const NOTHING = { written: 0, unchanged: 0, before: 0, leftOut: 0, bad: 0 };

type Files = Parameters<typeof writeMarketFiles>[0];

/** Imports files into a table, and returns the reported events. */
async function imported(files: Files, table: BulkTable = createMemoryTable()) {
  await using written = await writeMarketFiles(files);
  const bad: string[] = [];
  const empty: string[] = [];
  const percents: number[] = [];
  const relative = (path: string) => path.slice(written.directory.length + 1);
  const totals = await importData(
    {
      archive: {
        ...createFloorArchive(table),
        ...createTradeArchive(table),
        ...createTokenArchive(table),
      },
      progress: createImportStore(table),
      now: () => NOON,
      report: (event) => {
        if (event.event === 'bad_line') {
          bad.push(`${relative(event.file)}:${event.line}: ${event.reason}`);
        }
        if (event.event === 'empty') empty.push(relative(event.file));
        if (event.event === 'progress') percents.push(event.percent);
      },
    },
    written.directory,
  );
  const none: LineCounts = { ...NOTHING, lines: 0 };
  const { tokens = none, trades = none, floors = none } = totals;
  return { table, bad, empty, percents, tokens, trades, floors };
}

const countsIn = (table: BulkTable, ...traits: readonly Trait[]) =>
  createTokenStore(table).counts(PUNKS, traits.map(traitKey));

const sorted = (table: MemoryTable) =>
  table.items().toSorted((a, b) => (`${a.pk} ${a.sk}` < `${b.pk} ${b.sk}` ? -1 : 1));

const aHash = (number: number) => `0x${number.toString(16).padStart(64, '0')}`;

it('an import loads floors, trades and tokens, plain or gzipped, from a directory and its subfolders', async () => {
  const { table, bad, empty, percents, ...counts } = await imported({
    'floors.jsonl': [aFloorLine(`${DAWN}.000Z`, '31.45')],
    'a/trades.jsonl.gz': gzipSync(toLines([aTradeLine(DAWN, '50000000000000007')])),
    'a/b/c/tokens.jsonl': [aTokenLine('7', [CAP])],
    'a/b/c/tokens.csv': 'not for this',
    'a/b/other-tokens.jsonl': 'nor this',
  });

  const span = { from: 0, to: NOON, each: 'day', limit: 10 } as const;
  const [floor] = await createHistoryStore(table).newest(PUNKS, 'floor', span);
  const lowest = await createTradeStore(table).lowest(PUNKS, { from: 0, to: NOON });
  const [token] = await createTokenStore(table).getAll(PUNKS, [7n]);
  expect(percents).toEqual([...percents].toSorted((a, b) => a - b));
  expect(percents.at(-1)).toBe(100);
  expect(floor?.price).toBe(eth('31.45'));
  expect(lowest?.price).toBe('50000000000000007');
  expect(JSON.parse(token?.record ?? '{}').name).toBe('CryptoPunks');
  expect([bad, empty]).toEqual([[], []]);
  const one = { ...NOTHING, lines: 1, written: 1 };
  expect(counts).toEqual({ tokens: one, trades: one, floors: one });
});

it('an import of the same files writes nothing the second time', async () => {
  const table = createMemoryTable();
  const files = {
    'floors.jsonl': [aFloorLine(`${DAWN}.000Z`, '31.45'), aFloorLine(`${DAWN}.500Z`, '31.46')],
    'trades.jsonl': [1, 2, 3].map((price) =>
      aTradeLine(DAWN, `${price}`, { block_hash: aHash(price) }),
    ),
    'tokens.jsonl': ['1', '2', '2'].map((id) => aTokenLine(id, [CAP])),
  };
  await imported(files, table);
  const first = sorted(table);

  const again = await imported(files, table);

  expect(sorted(table)).toEqual(first);
  expect([again.tokens, again.trades, again.floors]).toEqual([
    { ...NOTHING, lines: 3, unchanged: 3 },
    { ...NOTHING, lines: 3, unchanged: 3 },
    { ...NOTHING, lines: 2, unchanged: 2 },
  ]);
});

it('several sales of one edition in one blockchain transaction are each written once', async () => {
  const table = createMemoryTable();
  const files = {
    'trades.jsonl': [
      ...['500', '1000', '1000'].map((price) => aTradeLine(DAWN, price)),
      aTradeLine('2021-08-03T06:00:00', '2000'),
      // An overlapping export repeats an earlier line.
      aTradeLine(DAWN, '500'),
    ],
  };

  const first = await imported(files, table);
  const again = await imported(files, table);

  expect(first.trades).toEqual({ ...NOTHING, lines: 5, written: 4, unchanged: 1 });
  expect(again.trades).toEqual({ ...NOTHING, lines: 5, unchanged: 5 });
  const lowest = await createTradeStore(table).lowest(PUNKS, { from: 0, to: NOON });
  expect(lowest?.price).toBe('500');
});

it('trades that were not paid in ETH are skipped and counted separately', async () => {
  const { table, trades } = await imported({
    'trades.jsonl': ['ETH', 'WETH', 'USDC', 'APE'].map((payment_token, order) =>
      aTradeLine(DAWN, `${9 - order}`, { payment_token, transaction_hash: aHash(order) }),
    ),
  });

  expect(trades).toEqual({ ...NOTHING, lines: 4, written: 2, leftOut: 2 });
  const lowest = await createTradeStore(table).lowest(PUNKS, { from: 0, to: NOON });
  expect(lowest?.price).toBe('8');
});

it('trades with the same time keep the order of their lines', async () => {
  const { table } = await imported({
    'trades.jsonl': [3, 1, 2]
      .map(aHash)
      .map((transaction_hash) => aTradeLine(DAWN, '5', { transaction_hash })),
  });

  const lowest = await createTradeStore(table).lowest(PUNKS, { from: 0, to: NOON });
  expect(lowest?.transaction_hash).toBe(aHash(3));
});

it('an import counts tokens by trait', async () => {
  const { table } = await imported({
    'a/tokens.jsonl': ['1', '2'].map((id) => aTokenLine(id, [CAP, ['eyes', id]])),
    'b/tokens.jsonl': ['3'].map((id) => aTokenLine(id, [CAP, CAP])),
  });

  expect(await countsIn(table, CAP, ['eyes', '1'], ['eyes', '3'])).toEqual([3, 1, 0]);
});

it('the token counts of traits stay the same when an import repeats known tokens', async () => {
  const table = createMemoryTable();
  const all = Array.from({ length: 60 }, (_, id) =>
    aTokenLine(`${id}`, [CAP, ['eyes', id % 10 === 0 ? 'laser' : 'open']]),
  );
  await imported({ 'tokens.jsonl': all }, table);

  await imported({ 'tokens.jsonl': all.slice(0, 3) }, table);
  await imported({ 'tokens.jsonl': [aTokenLine('59', [['eyes', 'laser']])] }, table);

  expect(await countsIn(table, CAP, ['eyes', 'laser'], ['eyes', 'open'])).toEqual([59, 7, 53]);
});

it('an import reports each bad line with file, number and reason, and loads the others', async () => {
  const { bad, trades, tokens, floors } = await imported({
    'a/trades.jsonl': [
      JSON.stringify(aTradeLine(DAWN, '5')),
      '{"chain":"eth"',
      '',
      '   ',
      JSON.stringify(aTradeLine(DAWN, '0')),
      'null',
      JSON.stringify(aTradeLine(DAWN, '6', { chain: 'moon', token_ids: 5 })),
      JSON.stringify(aTradeLine(`${DAWN}.001`, '6')),
    ].join('\r\n'),
    'b/tokens.jsonl': [
      aTokenLine('x', []),
      aTokenLine('1', [], { metadata: 'broken' }),
      aTokenLine('2', [], { image: 'x'.repeat(400_000) }),
    ],
    'c/floors.jsonl': [
      aFloorLine('2099-01-01T00:00:00.000Z', '5'),
      aFloorLine(`${DAWN}.000Z`, '5'),
    ],
  });

  expect(bad).toEqual([
    'a/trades.jsonl:2: expected JSON',
    expect.stringMatching(
      /^a\/trades.jsonl:5: price: expected a price above zero, in the smallest unit/,
    ),
    'a/trades.jsonl:6: expected an object, found null',
    expect.stringMatching(
      /^a\/trades.jsonl:7: token_ids: expected a list, found the number 5; chain: expected a known chain/,
    ),
    'b/tokens.jsonl:1: token_id: expected a decimal token id',
    'b/tokens.jsonl:3: expected a record of at most 350 kB',
    'c/floors.jsonl:1: timestamp: expected a time in the past',
  ]);
  expect(trades).toEqual({ ...NOTHING, lines: 6, written: 2, bad: 4 });
  expect(tokens).toEqual({ ...NOTHING, lines: 3, written: 1, bad: 2 });
  expect(floors).toEqual({ ...NOTHING, lines: 2, written: 1, bad: 1 });
});

it.each([
  ['nothing at all', '', []],
  ['nothing at all, gzipped', gzipSync(''), []],
  ['new lines alone', '\n\r\n\n', []],
  ['no new line at its end', line('1'), ['1']],
  ['lines of Windows', `${line('1')}\r\n${line('2')}\r\n`, ['1', '2']],
  ['a byte order mark', `\uFEFF${line('1')}\n${line('2')}\n`, ['1', '2']],
  [
    'several gzipped parts',
    Buffer.concat([gzipSync(`${line('1')}\n`), gzipSync(line('2'))]),
    ['1', '2'],
  ],
])('an import reads a file with %s', async (_what, content, ids) => {
  const name = Buffer.isBuffer(content) ? 'tokens.jsonl.gz' : 'tokens.jsonl';

  const { table, bad, tokens } = await imported({ [name]: content });

  expect(bad).toEqual([]);
  expect(tokens.written).toBe(ids.length);
  expect(await createTokenStore(table).getAll(PUNKS, ids.map(BigInt))).toHaveLength(ids.length);
});

it.each([
  ['no content', 'tokens.jsonl', ''],
  ['no content and a name that ends in .gz', 'tokens.jsonl.gz', ''],
  ['gzipped empty content', 'tokens.jsonl.gz', gzipSync('')],
  ['blank lines', 'tokens.jsonl', '\n \r\n'],
])(
  'an import warns about a file with %s, but reports no bad line',
  async (_what, name, content) => {
    const { empty, bad, tokens } = await imported({
      [name]: content,
      'z/tokens.jsonl': [aTokenLine('9', [])],
    });

    expect([empty, bad]).toEqual([[name], []]);
    expect(tokens).toEqual({ ...NOTHING, lines: 1, written: 1 });
  },
);

const INCOMPRESSIBLE = Array.from({ length: 300 }, (_, id) =>
  JSON.stringify(aTokenLine(`${id}`, [['dna', randomBytes(300).toString('hex')]])),
);

it.each([
  ['text', Buffer.from('garbage')],
  ['a broken second part', Buffer.from([0x1f, 0x8b, 0x08, 0xff, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])],
  ['a single byte', Buffer.from([7])],
])('an import loads all lines of a gzip file that is followed by %s', async (_what, garbage) => {
  for (const end of ['', '\n']) {
    for (const lines of [INCOMPRESSIBLE.slice(0, 3), INCOMPRESSIBLE]) {
      const packed = Buffer.concat([gzipSync(lines.join('\n') + end), garbage]);

      const { tokens, bad } = await imported({ 'tokens.jsonl.gz': packed });

      expect(tokens.written).toBe(lines.length);
      expect(bad).toEqual([
        expect.stringMatching(/:\d+: the file cannot be read beyond this line: /),
      ]);
    }
  }
});

it('an import loads all lines before the damaged part of a gzip file', async () => {
  const packed = gzipSync(INCOMPRESSIBLE.join('\n'));
  // The checksum follows all lines, so a wrong checksum breaks the file after its last line.
  packed.writeUInt32LE(7, packed.length - 8);

  const { tokens, bad } = await imported({ 'tokens.jsonl.gz': packed });

  expect([tokens.written, bad]).toEqual([
    300,
    ['tokens.jsonl.gz:301: the file cannot be read beyond this line: expected gzip'],
  ]);
});

it('an import accepts zeros that pad a gzip file', async () => {
  const packed = Buffer.concat([gzipSync(INCOMPRESSIBLE.join('\n')), Buffer.alloc(40_000)]);

  const { tokens, bad } = await imported({ 'tokens.jsonl.gz': packed });

  expect([tokens.written, bad]).toEqual([300, []]);
});

it('an import describes validation errors in its own words, not in those of the library', async () => {
  const { bad } = await imported({
    'a/floors.jsonl': ['5', '[]', {}].map((line) =>
      typeof line === 'string' ? JSON.parse(line) : line,
    ),
    'b/trades.jsonl': [aTradeLine(DAWN, '5', { price: 5, token_ids: [7], block_hash: {} })],
    'c/tokens.jsonl': [
      aTokenLine('1', [], { owner_of: 7, last_sale: { payment_token: 'ETH' } }),
      aTokenLine('1', [], { possible_spam: 1, rarity_rank: '4', media: 3, metadata: {} }),
    ],
  });

  expect(bad).toEqual([
    'a/floors.jsonl:1: expected an object, found the number 5',
    'a/floors.jsonl:2: expected an object, found a list',
    'a/floors.jsonl:3: chain: expected a string, found nothing; token_address: expected a string, found nothing; floor_price: expected a string, found nothing; currency: expected a string, found nothing; timestamp: expected a string, found nothing',
    'b/trades.jsonl:1: token_ids.0: expected a string, found the number 7; price: expected a string, found the number 5; block_hash: expected a string, found an object',
    'c/tokens.jsonl:1: owner_of: expected a string, found the number 7; last_sale.payment_token: expected an object, found a string',
    'c/tokens.jsonl:2: metadata: expected a string, found an object; media: expected a string or an object; possible_spam: expected true or false or a string; rarity_rank: expected a number, found a string',
  ]);
});

it('an import rejects trades and floors in the future', async () => {
  const { trades, bad } = await imported({
    'trades.jsonl': [
      aTradeLine('2026-11-21T12:00:00.001', '5'),
      aTradeLine('2026-11-21T12:00:00', '6'),
    ],
  });

  expect(trades).toEqual({ ...NOTHING, lines: 2, written: 1, bad: 1 });
  expect(bad).toEqual(['trades.jsonl:1: block_timestamp: expected a time in the past']);
});

function line(id: string): string {
  return JSON.stringify(aTokenLine(id, [CAP]));
}

const cut = gzipSync(Array.from({ length: 500 }, (_, id) => line(`${id}`)).join('\n'));

it.each([
  [
    'a file that is not gzip',
    'tokens.jsonl.gz',
    'nonsense',
    /:1: the file cannot be read beyond this line: expected gzip$/,
    0,
  ],
  [
    'a truncated gzip file',
    'tokens.jsonl.gz',
    cut.subarray(0, -9),
    /:501: .*: expected more gzip data, found the end of the file$/,
    499,
  ],
  [
    'a line that is not UTF-8',
    'tokens.jsonl',
    Buffer.concat([Buffer.from([0xff, 10]), Buffer.from(line('7'))]),
    /:1: expected UTF-8$/,
    1,
  ],
  [
    'a line of 10 MB',
    'tokens.jsonl',
    `${'x'.repeat(10_000_000)}\n${line('7')}`,
    /:1: expected a line of at most 2 MB$/,
    1,
  ],
  [
    'a last line of 10 MB',
    'tokens.jsonl',
    `${line('7')}\n${'x'.repeat(10_000_000)}`,
    /:2: expected a line/,
    1,
  ],
])(
  'an import reports where %s cannot be read, and loads all other lines',
  async (_what, name, content, says, least) => {
    const { bad, tokens } = await imported({
      [name]: content,
      'z/tokens.jsonl': [aTokenLine('9', [])],
    });

    expect(bad).toEqual([expect.stringMatching(says)]);
    expect(tokens.written).toBeGreaterThan(least);
  },
);

it.each([
  ['that does not exist', 'nowhere'],
  ['without data', '.'],
])('an import rejects a directory %s', async (_what, folder) => {
  await using files = await writeMarketFiles({ 'readme.txt': 'no data' });
  const archive = { ...createFloorArchive(createMemoryTable()) };

  const begun = importData({ archive } as never, `${files.directory}/${folder}`);

  await expect(begun).rejects.toThrow(UsageError);
});

const MANY: Files = {
  'a/tokens.jsonl': Array.from({ length: 1050 }, (_, id) => aTokenLine(`${id}`, [CAP])),
  'b/trades.jsonl': Array.from({ length: 1050 }, (_, number) => {
    const time = instant('2021-08-01T00:00:00Z') + (number % 3) * DAY;
    return aTradeLine(new Date(time).toISOString(), `${2000 - number}`, {
      block_hash: `${number}`,
      transaction_hash: aHash(number),
    });
  }),
  'c/floors.jsonl': [aFloorLine(`${DAWN}.000Z`, '31.45'), aFloorLine('nonsense', '1')],
};

it('an import that is repeated after a kill at any write has the same result', async () => {
  const undisturbed = createMemoryTable();
  const whole = await imported(MANY, undisturbed);
  const counting = killedAfter(Number.POSITIVE_INFINITY, createMemoryTable());
  await imported(MANY, counting.table);
  expect(counting.writes()).toBeGreaterThan(15);

  for (const survived of casesOf([...Array(counting.writes()).keys()], 4)) {
    const table = createMemoryTable();
    await expect(imported(MANY, killedAfter(survived, table).table)).rejects.toThrow('killed');
    const { bad, tokens, trades, floors } = await imported(MANY, table);

    expect(sorted(table), `after ${survived} writes`).toEqual(sorted(undisturbed));
    expect(bad).toEqual(whole.bad);
    expect([tokens.lines, trades.lines, floors.bad]).toEqual([1050, 1050, 1]);
  }
});

it('an import does not repeat writes that were complete before a kill', async () => {
  const table = createMemoryTable();
  const putTokens: number[] = [];
  const noting = (more: object = {}): BulkTable => ({
    ...table,
    putAll: async (items) => {
      const tokens = items.filter(({ pk, record }) => pk.startsWith('TOKENS#') && record);
      if (tokens.length > 0) putTokens.push(tokens.length);
      await table.putAll(items);
    },
    ...more,
  });
  let notes = 0;
  const put: BulkTable['put'] = async (item, version) => {
    notes += item.pk.startsWith('IMPORT#') ? 1 : 0;
    if (notes > 1) throw new Error('killed');
    await table.put(item, version);
  };
  await expect(imported(MANY, noting({ put }))).rejects.toThrow('killed');

  const { tokens } = await imported(MANY, noting());

  expect(putTokens).toEqual([1000, 50]);
  expect(tokens).toEqual({ ...NOTHING, lines: 1050, before: 1000, unchanged: 50 });
});

/** The table of a process that is killed after a number of writes. */
function killedAfter(most: number, table: BulkTable) {
  let writes = 0;
  const write = async (begun: () => Promise<void>) => {
    if (writes >= most) throw new Error('killed');
    writes += 1;
    await begun();
  };
  return {
    writes: () => writes,
    table: {
      ...table,
      put: (item, version) => write(() => table.put(item, version)),
      putAll: (items) => write(() => table.putAll(items)),
      deleteAll: (keys) => write(() => table.deleteAll(keys)),
    } satisfies BulkTable as BulkTable,
  };
}
