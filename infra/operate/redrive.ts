import * as z from 'zod';
import { createReader } from '#infra/command-line/create-reader.ts';
import { flag, option, text } from '#infra/command-line/options.ts';
import type { Printer } from '#infra/command-line/printer.ts';
import { runCommand } from '#infra/command-line/run-command.ts';
import { UsageError } from '#infra/command-line/usage-error.ts';
import type { DeadLetter, DeadLetterQueue } from './dead-letters.ts';
import { readStack, stackOptions } from './stack-option.ts';
import { openStackQueues } from './stack-queues.ts';

const read = createReader({
  name: 'npm run redrive --',
  description:
    'Lists the dead letters of a stack and moves them back to their source queues. Missed ticks are only listed: the next tick has caught up with them.',
  options: z.object({
    ...stackOptions,
    queue: option('name', 'only the queues with this in their name, for example lists', text),
    dryRun: flag('only list'),
    json: flag('JSON lines: queue, moved'),
  }),
});

await runCommand(read, async ({ queue: part, dryRun, json, ...given }, printer) => {
  const stack = readStack(given);
  if (stack === undefined) throw new UsageError('give either --stage <name> or --local <url>');
  const queues = await openStackQueues(stack);
  const found = await queues.deadLetterQueues();
  if (found.length === 0)
    throw new UsageError(
      `${queues.name} has no queues in this account and region: is it deployed?`,
    );
  const report = (json ? inJson : inWords)(printer);
  for (const queue of chosen(found, part)) {
    report.queue(queue, queue.waiting === 0 ? [] : await queues.peek(queue));
    if (dryRun || queue.waiting === 0 || queue.source === undefined) continue;
    let moved = 0;
    for await (moved of queues.moveBack(queue, queue.source)) {
      if (moved % 100 === 0) report.moved(queue, moved);
    }
    if (moved % 100 !== 0) report.moved(queue, moved);
  }
});

function chosen(
  queues: readonly DeadLetterQueue[],
  part: string | undefined,
): readonly DeadLetterQueue[] {
  if (part === undefined) return queues;
  const meant = queues.filter(({ name }) => name.toLowerCase().includes(part.toLowerCase()));
  if (meant.length > 0) return meant;
  const names = queues.map(({ name }) => name).join(', ');
  throw new UsageError(`--queue ${part} matches no queue; the dead-letter queues are ${names}`);
}

type Report = {
  readonly queue: (queue: DeadLetterQueue, first: readonly DeadLetter[]) => void;
  readonly moved: (queue: DeadLetterQueue, moved: number) => void;
};

function inWords({ write }: Printer): Report {
  return {
    queue: ({ name, waiting, source }, first) => {
      const [oldest] = first.map(({ sentAt }) => sentAt).toSorted();
      const since = oldest === undefined ? '' : `, oldest from ${oldest}`;
      const fate = source ? '' : ' (only listed: the next tick has caught up with them)';
      write(`${name}: ${waiting} waiting${since}${fate}\n`);
      for (const { sentAt, messageId, body } of first) {
        write(`  ${sentAt} ${messageId} ${shortened(body)}\n`);
      }
      if (waiting > first.length) write(`  … and ${waiting - first.length} more\n`);
    },
    moved: ({ source, waiting }, moved) =>
      write(`  moved ${moved} of ${waiting} back to ${source?.name}\n`),
  };
}

function inJson({ line }: Printer): Report {
  return {
    queue: ({ name, waiting, source }, first) =>
      line({ event: 'queue', queue: name, source: source?.name ?? null, waiting, first }),
    moved: ({ name, waiting }, moved) => line({ event: 'moved', queue: name, moved, waiting }),
  };
}

/** The text of a message, on one line of a terminal. */
function shortened(body: string): string {
  const printable = body.replace(/\p{C}+/gu, ' ');
  return printable.length > 160 ? `${printable.slice(0, 159)}…` : printable;
}
