import * as z from 'zod';
import { flag, option, text } from '#infra/command-line/options.ts';
import { UsageError } from '#infra/command-line/usage-error.ts';
import type { DeadLetter, DeadLetterQueue } from './dead-letters.ts';
import { openStack } from './stack.ts';
import { target } from './target.ts';
import { defineVerb } from './verb.ts';

const options = z.object({
  ...target,
  queue: option('name', 'only queues whose name contains this text, for example "lists"', text),
  dryRun: flag('list the messages, but do not move them'),
});

type QueueState = {
  readonly queue: string;
  readonly source: string | null;
  readonly waiting: number;
};
type RedriveEvent =
  | (QueueState & { readonly event: 'queue'; readonly first: readonly DeadLetter[] })
  | (QueueState & { readonly event: 'moved'; readonly moved: number });

export const verb = defineVerb<z.output<typeof options>, RedriveEvent>({
  name: 'redrive',
  description:
    'Lists the dead letters of a stack and moves them back to their source queues. Missed ticks are only listed, because later ticks have caught up.',
  options,
  inWords: (event) => {
    const { queue, source, waiting } = event;
    if (event.event === 'moved') return `  moved ${event.moved} of ${waiting} back to ${source}\n`;
    const [oldest] = event.first.map(({ sentAt }) => sentAt).toSorted();
    const since = oldest === undefined ? '' : `, oldest from ${oldest}`;
    const fate = source ? '' : ' (only listed: later ticks have caught up)';
    const more = waiting - event.first.length;
    return [
      `${queue}: ${waiting} waiting${since}${fate}\n`,
      ...event.first.map(
        ({ sentAt, messageId, body }) => `  ${sentAt} ${messageId} ${shortened(body)}\n`,
      ),
      more > 0 ? `  … and ${more} more\n` : '',
    ].join('');
  },
  run: async ({ queue: part, dryRun, ...given }, report) => {
    const stack = await openStack(given);
    const queues = await stack.queues();
    const found = await queues.deadLetterQueues();
    if (found.length === 0) {
      throw new UsageError(
        `${stack.name} has no queues in this account and region: is it deployed?`,
      );
    }
    for (const queue of chosen(found, part)) {
      const { name, source, waiting } = queue;
      const state = { queue: name, source: source?.name ?? null, waiting };
      report({ event: 'queue', ...state, first: waiting === 0 ? [] : await queues.peek(queue) });
      if (dryRun || waiting === 0 || source === undefined) continue;
      let moved = 0;
      for await (moved of queues.moveBack(queue, source)) {
        if (moved % 100 === 0) report({ event: 'moved', ...state, moved });
      }
      if (moved % 100 !== 0) report({ event: 'moved', ...state, moved });
    }
    return 'done';
  },
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

/** The body of a message, shortened to one line of a terminal. */
function shortened(body: string): string {
  const printable = body.replace(/\p{C}+/gu, ' ');
  return printable.length > 160 ? `${printable.slice(0, 159)}…` : printable;
}
