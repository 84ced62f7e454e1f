import { MINUTE } from '#shared/domain/market/instant.ts';
import type { FaultyTable } from './faulty-table.ts';
import type { Queues } from './functions.ts';
import type { Sandboxes } from './sandbox.ts';
import type { Timeline } from './timeline.ts';
import type { Witnesses } from './witnesses.ts';

type RestWorld = {
  readonly timeline: Timeline;
  readonly table: FaultyTable;
  readonly queues: Queues;
  readonly sandboxes: Sandboxes;
  readonly witnesses: Pick<Witnesses, 'asking' | 'delivering'>;
};

/** What is still to be done, should nothing go wrong any more. */
export function whyRestless({
  timeline,
  table,
  queues,
  sandboxes,
  witnesses: { asking, delivering },
}: RestWorld): readonly string[] {
  const now = timeline.now();
  const waiting = Object.entries(queues).flatMap(([name, queue]) =>
    queue.waiting() > 0 ? [`${queue.waiting()} messages of ${name}`] : [],
  );
  const overdue = table.items().flatMap((item) => {
    const isDue = typeof item.dueAt === 'number' && item.dueAt <= now - MINUTE;
    const isInbox = item.pk.startsWith('INBOX#') && delivering.isAwaited(item);
    const isPending = item.sk.startsWith('PENDING#') && item.sk.includes('#contract#');
    const isAsked =
      item.pk.startsWith('CONTRACTS#') &&
      (asking.isSpent() ? item.unjudged : (item.wanted ?? item.unjudged)) !== undefined;
    return isDue || isInbox || isPending || isAsked ? [`${item.pk} ${item.sk}`] : [];
  });
  const running = sandboxes.alive() > 0 ? [`${sandboxes.alive()} invocations`] : [];
  return [...waiting, ...overdue, ...running];
}
