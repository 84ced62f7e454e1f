import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type * as z from 'zod';
import { createLineReader, type Line } from '#infra/operate/import/read-lines.ts';
import { readRecord } from '#infra/operate/import/read-record.ts';
import { contractIn, FloorLine, TokenLine, TradeLine } from '#shared/domain/archive/import-line.ts';
import { timeIn } from '#shared/domain/archive/timestamp.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { Floor, MarketSource, Trade } from './market-source.ts';

export type ReplayedMarket = MarketSource & {
  /** The time from the first to the last floor or trade; undefined if there are none. */
  readonly span: { readonly from: Instant; readonly to: Instant } | undefined;
  readonly counts: { readonly floors: number; readonly trades: number; readonly tokens: number };
  readonly badLines: { readonly count: number; readonly first: readonly BadLine[] };
};

type BadLine = {
  readonly file: string;
  /** The line number, from 1. In a truncated file it is the line after the last complete one. */
  readonly line: number;
  readonly reason: string;
};

/**
 * Real data in the import format: `floors`, `trades` and `tokens`, as `.jsonl` or `.jsonl.gz`, in
 * the directory or its subfolders.
 *
 * A bad line is counted and reported, and does not stop the import.
 */
export async function loadReplayedMarket(directory: string): Promise<ReplayedMarket> {
  const floors = createTimeline<Floor>();
  const trades = createTimeline<Trade>();
  const tokens = new Map<ContractKey, TokenLine[]>();
  const bad = { count: 0, first: [] as BadLine[] };

  const take = {
    floors: (line: Line) =>
      withRecord(line, FloorLine, (record) => {
        floors.add(contractIn(record), { time: timeIn(record.timestamp), record });
      }),
    trades: (line: Line) =>
      withRecord(line, TradeLine, (record) => {
        trades.add(contractIn(record), { time: timeIn(record.block_timestamp), record });
      }),
    tokens: (line: Line) =>
      withRecord(line, TokenLine, (record) => {
        const key = contractIn(record);
        const known = tokens.get(key);
        if (known === undefined) tokens.set(key, [record]);
        else known.push(record);
      }),
  };

  for (const { kind, file } of await filesIn(directory)) {
    for await (const line of createLineReader(file).lines()) {
      const reason = take[kind](line);
      if (reason === undefined) continue;
      bad.count += 1;
      if (bad.first.length < NAMED) bad.first.push({ file, line: line.number, reason });
    }
  }
  floors.revise();
  floors.sort();
  trades.sort();
  const contracts = new Set([...floors.keys(), ...trades.keys(), ...tokens.keys()]);
  return {
    span: spanOf([...floors.ends(), ...trades.ends()]),
    counts: {
      floors: floors.size(),
      trades: trades.size(),
      tokens: [...tokens.values()].reduce((sum, { length }) => sum + length, 0),
    },
    badLines: bad,
    contracts: () =>
      [...contracts].map((contract) => ({
        contract,
        name: tokens.get(contract)?.[0]?.name ?? contract,
      })),
    floors: (contract, from, to) => floors.newestFirst(contract, from, to),
    trades: (contract, from, to) => trades.oldestFirst(contract, from, to),
    tokens: (contract) => tokens.get(contract) ?? [],
    nextFloor: (contract, after) => floors.next(contract, after),
    nextTrade: (contract, after) => trades.next(contract, after),
  };
}

/** Maximum number of bad lines that are listed; further ones are only counted. */
const NAMED = 100;

type Kind = 'floors' | 'trades' | 'tokens';

async function filesIn(
  directory: string,
): Promise<readonly { readonly kind: Kind; readonly file: string }[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const files = ['.', ...folders.toSorted()].map(async (folder) => {
    const names = await readdir(join(directory, folder));
    return names.toSorted().flatMap((name) => {
      const kind = KINDS.find((known) => name === `${known}.jsonl` || name === `${known}.jsonl.gz`);
      return kind === undefined ? [] : [{ kind, file: join(directory, folder, name) }];
    });
  });
  return (await Promise.all(files)).flat();
}

const KINDS: readonly Kind[] = ['floors', 'trades', 'tokens'];

/** Passes on the record of a line, or returns the reason why it is invalid. */
function withRecord<Schema extends z.ZodType>(
  line: Line,
  schema: Schema,
  take: (record: z.output<Schema>) => void,
): string | undefined {
  const read = readRecord(line, schema);
  if ('problem' in read) return read.problem;
  take(read.record);
  return undefined;
}

function spanOf(instants: readonly Instant[]): ReplayedMarket['span'] {
  if (instants.length === 0) return undefined;
  return { from: Math.min(...instants), to: Math.max(...instants) };
}

/** The events of each contract in order of time. */
function createTimeline<Event extends { readonly time: Instant }>() {
  const events = new Map<ContractKey, Event[]>();
  const of = (contract: ContractKey) => events.get(contract) ?? [];
  return {
    add: (contract: ContractKey, event: Event) => {
      const known = events.get(contract);
      if (known === undefined) events.set(contract, [event]);
      else known.push(event);
    },
    /** Events with the same time keep the order of the file. */
    sort: () => {
      for (const list of events.values()) list.sort((a, b) => a.time - b.time);
    },
    /**
     * Keeps only the last of several events with the same time, because the last one revises the
     * others.
     */
    revise: () => {
      for (const [contract, list] of events) {
        events.set(contract, [...new Map(list.map((event) => [event.time, event])).values()]);
      }
    },
    keys: () => events.keys(),
    size: () => [...events.values()].reduce((sum, { length }) => sum + length, 0),
    ends: () =>
      [...events.values()]
        .flatMap((list) => [list[0], list.at(-1)])
        .flatMap((event) => event?.time ?? []),
    oldestFirst: function* (contract: ContractKey, from: Instant, to: Instant) {
      const list = of(contract);
      for (let index = firstAt(list, from); ; index += 1) {
        const event = list[index];
        if (event === undefined || event.time > to) return;
        yield event;
      }
    },
    newestFirst: function* (contract: ContractKey, from: Instant, to: Instant) {
      const list = of(contract);
      for (let index = firstAt(list, to + 1) - 1; ; index -= 1) {
        const event = list[index];
        if (event === undefined || event.time < from) return;
        yield event;
      }
    },
    next: (contract: ContractKey, after: Instant) =>
      of(contract)[firstAt(of(contract), after + 1)]?.time,
  };
}

/** The index of the first event at or after an instant; the length of the list if there is none. */
function firstAt(list: readonly { readonly time: Instant }[], instant: Instant): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle]?.time ?? Number.POSITIVE_INFINITY) < instant) low = middle + 1;
    else high = middle;
  }
  return low;
}
