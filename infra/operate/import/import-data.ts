import type * as z from 'zod';
import {
  contractIn,
  createTradeReader,
  FloorLine,
  floorIn,
  isPaidInEth,
  TokenLine,
  TradeLine,
  tokenIn,
} from '#shared/domain/archive/import-line.ts';
import { timeIn } from '#shared/domain/archive/timestamp.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { FloorArchive } from '#shared/stores/history-store.ts';
import type { ImportStore } from '#shared/stores/import-store.ts';
import type { TokenArchive } from '#shared/stores/token-store.ts';
import type { TradeArchive } from '#shared/stores/trade-store.ts';
import { type DataFile, type DataKind, digestOf, findDataFiles } from './data-files.ts';
import { createLineReader } from './read-lines.ts';
import { readRecord } from './read-record.ts';

export type ImportPorts = {
  readonly archive: FloorArchive & TokenArchive & TradeArchive;
  readonly progress: ImportStore;
  readonly now: () => Instant;
  readonly report: (event: ImportEvent) => void;
};

/** Numbers of lines in a file, or in all files of a kind, by outcome. */
export type LineCounts = {
  /** All lines that are not blank. */
  readonly lines: number;
  /** Lines with a new or changed record. */
  readonly written: number;
  readonly unchanged: number;
  /** Lines that an interrupted run of this import already loaded. */
  readonly before: number;
  /** Trades that were not paid in ETH. */
  readonly leftOut: number;
  readonly bad: number;
};

type InFile = { readonly file: string };

export type ImportEvent =
  | (InFile & { readonly event: 'bad_line'; readonly line: number; readonly reason: string })
  /** A file without lines, which is probably a mistake. */
  | (InFile & { readonly event: 'empty' })
  /** The percentage of loaded (compressed) bytes rose, counted over all files. */
  | (InFile & { readonly event: 'progress'; readonly line: number; readonly percent: number })
  | (InFile & { readonly event: 'file'; readonly kind: DataKind } & LineCounts)
  | { readonly event: 'end'; readonly milliseconds: number; readonly totals: Totals };

type Totals = { readonly [Kind in DataKind]?: LineCounts };

/** Loads all data files of a directory into the archive, one after the other. */
export async function importData(
  { archive, progress, now, report }: ImportPorts,
  directory: string,
): Promise<Totals> {
  const files = await findDataFiles(directory);
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const totals: { [Kind in DataKind]?: LineCounts } = {};
  const digests = new Set<string>();
  let bytesBefore = 0;
  let percent = 0;

  const hasPassed = (timestamp: string) => timeIn(timestamp) <= now();
  const message = 'expected a time in the past';
  const PastFloor = FloorLine.refine(({ timestamp }) => hasPassed(timestamp), {
    path: ['timestamp'],
    message,
  });
  const PastTrade = TradeLine.refine(({ block_timestamp }) => hasPassed(block_timestamp), {
    path: ['block_timestamp'],
    message,
  });

  const load = async (file: DataFile) => {
    const digest = await digestOf(file);
    digests.add(digest);
    const place: Place = {
      file,
      report,
      done: await progress.linesDone(digest),
      note: async (lines, bytesRead) => {
        await progress.note(digest, lines, now());
        const reached = Math.floor((100 * (bytesBefore + bytesRead)) / bytes);
        if (reached > percent) {
          report({ event: 'progress', file: file.path, line: lines, percent: reached });
        }
        percent = reached;
      },
    };
    switch (file.kind) {
      case 'floors':
        return await loadFile(place, {
          schema: PastFloor,
          read: (line) => ({ contract: contractIn(line), point: floorIn(line) }),
          put: (floors) => archive.putFloors(floors, now()),
        });
      case 'trades': {
        const tradeIn = createTradeReader();
        return await loadFile(place, {
          schema: PastTrade,
          read: (line, number) => (isPaidInEth(line) ? tradeIn(line, number) : undefined),
          put: archive.putTrades,
        });
      }
      case 'tokens': {
        const contracts = new Set<ContractKey>();
        const counts = await loadFile(place, {
          schema: TokenLine,
          read: (line) => {
            const token = tokenIn(line);
            contracts.add(token.contract);
            return token;
          },
          put: (tokens) => archive.putTokens(tokens, digest),
        });
        await archive.settleCounts(contracts, digest);
        return counts;
      }
    }
  };

  for (const file of files) {
    const counts = await load(file);
    report({ event: 'file', file: file.path, kind: file.kind, ...counts });
    totals[file.kind] = sumOf(totals[file.kind] ?? NOTHING, counts);
    bytesBefore += file.bytes;
  }
  // The progress is removed last, so that an import that was killed earlier can resume from it.
  await progress.forget([...digests]);
  return totals;
}

/** The limits of a batch: large enough to fill requests, small enough for memory. */
const LINES_TOGETHER = 1000;
const CHARACTERS_TOGETHER = 4 * 1024 * 1024;

type Place = {
  readonly file: DataFile;
  readonly report: ImportPorts['report'];
  /** The number of lines that an interrupted run loaded; they are read, but not written again. */
  readonly done: number;
  /** Stores the progress of the file. */
  readonly note: (lines: number, bytesRead: number) => Promise<void>;
};

type Loading<Schema extends z.ZodType, Thing> = {
  readonly schema: Schema;
  /** Converts the record of a line, or returns undefined to skip the line. */
  readonly read: (record: z.output<Schema>, number: number) => Thing | undefined;
  /** Writes a batch; returns the number of new or changed records. */
  readonly put: (things: readonly Thing[]) => Promise<number>;
};

async function loadFile<Schema extends z.ZodType, Thing>(
  { file, report, done, note }: Place,
  { schema, read, put }: Loading<Schema, Thing>,
): Promise<LineCounts> {
  const reader = createLineReader(file.path);
  const counts = { ...NOTHING };
  let batch: Thing[] = [];
  let characters = 0;
  let last = 0;

  const load = async () => {
    const written = await put(batch);
    counts.written += written;
    counts.unchanged += batch.length - written;
    batch = [];
    characters = 0;
    await note(last, reader.bytesRead());
  };

  for await (const line of reader.lines()) {
    last = line.number;
    counts.lines += 1;
    const checked = readRecord(line, schema);
    if ('problem' in checked) {
      counts.bad += 1;
      const bad = { file: file.path, line: line.number, reason: checked.problem };
      report({ event: 'bad_line', ...bad });
      continue;
    }
    const thing = read(checked.record, line.number);
    if (thing === undefined) {
      counts.leftOut += 1;
    } else if (line.number <= done) {
      counts.before += 1;
    } else {
      batch.push(thing);
      characters += 'text' in line ? line.text.length : 0;
      if (batch.length === LINES_TOGETHER || characters > CHARACTERS_TOGETHER) await load();
    }
  }
  if (last > done) await load();
  if (counts.lines === 0) report({ event: 'empty', file: file.path });
  return counts;
}

const NOTHING: LineCounts = { lines: 0, written: 0, unchanged: 0, before: 0, leftOut: 0, bad: 0 };

function sumOf(a: LineCounts, b: LineCounts): LineCounts {
  return {
    lines: a.lines + b.lines,
    written: a.written + b.written,
    unchanged: a.unchanged + b.unchanged,
    before: a.before + b.before,
    leftOut: a.leftOut + b.leftOut,
    bad: a.bad + b.bad,
  };
}
