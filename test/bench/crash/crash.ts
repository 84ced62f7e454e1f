import { stderr, stdout } from 'node:process';
import { benchOptions } from '#test/support/bench-options.ts';
import { AWS } from './account.ts';
import { TENTH, WHOLE } from './lists.ts';
import { type Crash, liveThrough, type Row } from './live-through.ts';

/**
 * `npm run bench:crash`: all prices fall at once, and every watch fires. It runs with a tenth of
 * the watches by default, and with all of them if `--whole` is set. Time is virtual: the results
 * are for an AWS account as modelled in `account.ts`, not for this machine. Exits with 1 if
 * anything failed.
 */
const values = benchOptions('bench:crash', {
  json: { type: 'boolean', default: false },
  whole: { type: 'boolean', default: false },
});

/** The goals for sending all alerts, in seconds after the tick of the crash. */
const GOALS = { programs: 60, people: 60 };

const HEAD = ['second', 'posted', 'to programs', 'to people', 'in messages', 'critical'];
const inColumns = (cells: readonly (string | number)[]) =>
  `${cells.map((cell) => cell.toLocaleString('en-US').padStart(12)).join('')}\n`;

/** The rates of a new on-demand table; a run with `--whole` needs a table that was pre-warmed. */
const warm = values.whole ? { writes: 40_000, reads: 40_000 } : AWS.table;

const found = await liveThrough(values.whole ? WHOLE : TENTH, warm, (row) => {
  if (values.json) return;
  if (row.second === 10) stderr.write(inColumns(HEAD));
  stderr.write(inColumns(Object.values(row)));
});
if (values.json) stdout.write(`${JSON.stringify(found)}\n`);
else stdout.write(summaryOf(found));
process.exitCode = found.failures.length > 0 ? 1 : 0;

function summaryOf({ watches, critical, rows, table, invocations, atLimit, failures }: Crash) {
  const when = (share: number, of: (row: Row) => number, all: number) => {
    const second = rows.find((row) => of(row) >= share * all)?.second;
    return second === undefined ? 'not within the run' : `${second} s`;
  };
  const people = 2 * watches;
  const lines = [
    `${watches.toLocaleString('en-US')} watches have fired, ${critical.toLocaleString('en-US')} of them critical`,
    `posted: all after ${when(1, ({ posted }) => posted, watches)}`,
    `to programs: half after ${when(0.5, ({ toPrograms }) => toPrograms, watches)}, all after ${when(1, ({ toPrograms }) => toPrograms, watches)} (goal ${GOALS.programs} s)`,
    `to people: critical ones after ${when(1, ({ criticalToPeople }) => criticalToPeople, 2 * critical)}, all after ${when(1, ({ toPeople }) => toPeople, people)}, in ${rows.at(-1)?.messages} messages`,
    `table: ${Math.round(table.writes).toLocaleString('en-US')} writes, ${Math.round(table.reads).toLocaleString('en-US')} reads; invocations: ${JSON.stringify(invocations)}`,
    ...atLimit.map(([pk, ms]) => `throttled: ${pk}, longest wait of a call ${Math.round(ms)} ms`),
    ...failures.slice(0, 10).map((failure) => `failed: ${failure.slice(0, 200)}`),
  ];
  return `${lines.join('\n')}\n`;
}
