import { argv, exit, stderr, stdout } from 'node:process';
import {
  type DeadLetter,
  type DeadLetterQueue,
  findDeadLetterQueues,
  moveBack,
  peek,
} from './dead-letters.ts';
import { help, readRedriveOptions } from './redrive-options.ts';
import { openStackQueues } from './stack-queues.ts';
import { UsageError } from './usage-error.ts';

/** `npm run redrive`; `help` lists its exit codes. */
async function start(): Promise<void> {
  const options = readRedriveOptions(argv.slice(2));
  if (!options) {
    stdout.write(help);
    return;
  }
  const { sqs, prefix, name } = await openStackQueues(options.stack);
  const found = await findDeadLetterQueues(sqs, prefix);
  if (found.length === 0)
    throw new UsageError(`${name} has no queues in this account and region: is it deployed?`);
  const report = options.json ? inJson : inWords;
  for (const queue of chosen(found, options.queue)) {
    report.queue(queue, queue.waiting === 0 ? [] : await peek(sqs, queue));
    if (options.dryRun || queue.waiting === 0 || queue.source === undefined) continue;
    let moved = 0;
    for await (moved of moveBack(sqs, queue, queue.source)) {
      if (moved % 100 === 0) report.moved(queue, moved);
    }
    if (moved % 100 !== 0) report.moved(queue, moved);
  }
}

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

const inWords: Report = {
  queue: ({ name, waiting, source }, first) => {
    const [oldest] = first.map(({ sentAt }) => sentAt).toSorted();
    const since = oldest === undefined ? '' : `, oldest from ${oldest}`;
    const fate = source ? '' : ' (only listed: the next tick has caught up with them)';
    stdout.write(`${name}: ${waiting} waiting${since}${fate}\n`);
    for (const { sentAt, messageId, body } of first) {
      stdout.write(`  ${sentAt} ${messageId} ${shortened(body)}\n`);
    }
    if (waiting > first.length) stdout.write(`  … and ${waiting - first.length} more\n`);
  },
  moved: ({ source, waiting }, moved) => {
    stdout.write(`  moved ${moved} of ${waiting} back to ${source?.name}\n`);
  },
};

const inJson: Report = {
  queue: ({ name, waiting, source }, first) =>
    line({ event: 'queue', queue: name, source: source?.name ?? null, waiting, first }),
  moved: ({ name, waiting }, moved) => line({ event: 'moved', queue: name, moved, waiting }),
};

const line = (event: object) => stdout.write(`${JSON.stringify(event)}\n`);

/** The text of a message, on one line of a terminal. */
function shortened(body: string): string {
  const printable = body.replace(/\p{C}+/gu, ' ');
  return printable.length > 160 ? `${printable.slice(0, 159)}…` : printable;
}

try {
  await start();
} catch (error) {
  const isUsage = error instanceof UsageError;
  stderr.write(`${isUsage ? error.message : String(error)}\n`);
  exit(isUsage ? 2 : 1);
}
