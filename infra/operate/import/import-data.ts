import * as z from 'zod';
import {
  contractIn,
  FloorLine,
  floorIn,
  isPaidInEth,
  TokenLine,
  TradeLine,
  tokenIn,
  tradeIn,
} from '#shared/domain/archive/import-line.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { FloorArchive } from '#shared/stores/history-store.ts';
import type { ImportStore } from '#shared/stores/import-store.ts';
import type { TokenArchive } from '#shared/stores/token-store.ts';
import type { TradeArchive } from '#shared/stores/trade-store.ts';
import { type DataFile, type DataKind, digestOf, findDataFiles } from './data-files.ts';
import { createLineReader, type Line } from './read-lines.ts';
import { createTraitCounts } from './trait-counts.ts';

export type ImportPorts = {
  readonly archive: FloorArchive & TokenArchive & TradeArchive;
  readonly progress: ImportStore;
  readonly now: () => Instant;
  readonly report: ImportReport;
};

/** What became of the lines of a file, or of all files of a kind. */
export type LineCounts = {
  /** All that are not blank. */
  readonly lines: number;
  /** What they tell was not in the archive, or otherwise. */
  readonly written: number;
  readonly unchanged: number;
  /** An import that was cut short has written them, or found them unchanged. */
  readonly before: number;
  /** Trades that were not paid in ETH. */
  readonly leftOut: number;
  readonly bad: number;
};

export type ImportReport = {
  readonly bad: (file: DataFile, line: number, reason: string) => void;
  readonly progress: (progress: Progress) => void;
  readonly file: (file: DataFile, counts: LineCounts) => void;
};

export type Progress = {
  readonly file: DataFile;
  readonly lines: number;
  /** Of all files, as they are stored. */
  readonly bytesRead: number;
  readonly bytes: number;
};

/** Loads all files of a directory into the archive, one after the other. */
export async function importData(
  { archive, progress, now, report }: ImportPorts,
  directory: string,
): Promise<ReadonlyMap<DataKind, LineCounts>> {
  const files = await findDataFiles(directory);
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const traits = createTraitCounts();
  const totals = new Map<DataKind, LineCounts>();
  const digests = new Set<string>();
  let bytesBefore = 0;

  const PastFloor = FloorLine.refine((line) => floorIn(line).time <= now(), {
    path: ['timestamp'],
    message: 'expected a moment that has passed',
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
        report.progress({ file, lines, bytesRead: bytesBefore + bytesRead, bytes });
      },
    };
    switch (file.kind) {
      case 'floors':
        return await loadFile(place, {
          read: (told) => {
            const line = PastFloor.parse(told);
            return { contract: contractIn(line), point: floorIn(line) };
          },
          put: (floors) => archive.putFloors(floors, now()),
        });
      case 'trades':
        return await loadFile(place, {
          read: (told, number) => {
            const line = TradeLine.parse(told);
            return isPaidInEth(line) ? tradeIn(line, number) : undefined;
          },
          put: archive.putTrades,
        });
      case 'tokens':
        return await loadFile(place, {
          read: (told) => {
            const token = tokenIn(TokenLine.parse(told));
            traits.add(token);
            return token;
          },
          put: archive.putTokens,
        });
    }
  };

  for (const file of files) {
    const counts = await load(file);
    report.file(file, counts);
    totals.set(file.kind, sumOf(totals.get(file.kind) ?? NOTHING, counts));
    bytesBefore += file.bytes;
  }
  await archive.putCounts(traits.counts());
  // Last of all: whoever is killed before it goes on where this import was.
  await progress.forget([...digests]);
  return totals;
}

/** What goes into the archive together: enough to fill requests, little enough for memory. */
const LINES_TOGETHER = 1000;
const LETTERS_TOGETHER = 4 * 1024 * 1024;

type Place = {
  readonly file: DataFile;
  readonly report: ImportReport;
  /** So many lines were loaded before: they are read again, and not put again. */
  readonly done: number;
  /** Is told how far the file is loaded. */
  readonly note: (lines: number, bytesRead: number) => Promise<void>;
};

type Loading<Thing> = {
  /** What a line tells, or undefined where it is left out; throws where it cannot be used. */
  readonly read: (told: unknown, number: number) => Thing | undefined;
  /** Puts many, and tells how many of them were not there, or otherwise. */
  readonly put: (things: readonly Thing[]) => Promise<number>;
};

async function loadFile<Thing>(
  { file, report, done, note }: Place,
  { read, put }: Loading<Thing>,
): Promise<LineCounts> {
  const reader = createLineReader(file);
  const counts = { ...NOTHING };
  let batch: Thing[] = [];
  let letters = 0;
  let last = 0;

  const load = async () => {
    const written = await put(batch);
    counts.written += written;
    counts.unchanged += batch.length - written;
    batch = [];
    letters = 0;
    await note(last, reader.bytesRead());
  };

  for await (const line of reader.lines()) {
    last = line.number;
    counts.lines += 1;
    const told = readLine(line, read);
    if (told.kind === 'bad') {
      counts.bad += 1;
      report.bad(file, line.number, told.reason);
    } else if (told.thing === undefined) {
      counts.leftOut += 1;
    } else if (line.number <= done) {
      counts.before += 1;
    } else {
      batch.push(told.thing);
      letters += told.letters;
      if (batch.length === LINES_TOGETHER || letters > LETTERS_TOGETHER) await load();
    }
  }
  if (last > done) await load();
  return counts;
}

function readLine<Thing>(line: Line, read: Loading<Thing>['read']) {
  if ('problem' in line) return { kind: 'bad' as const, reason: line.problem };
  try {
    const thing = read(JSON.parse(line.text), line.number);
    return { kind: 'read' as const, thing, letters: line.text.length };
  } catch (error) {
    return { kind: 'bad' as const, reason: reasonOf(error) };
  }
}

/** What is wrong with a line, in words; what is no fault of the line is thrown on. */
function reasonOf(error: unknown): string {
  if (error instanceof SyntaxError) return 'expected JSON';
  if (!(error instanceof z.ZodError)) throw error;
  return error.issues
    .map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`))
    .join('; ');
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
