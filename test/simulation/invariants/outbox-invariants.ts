import type { Written } from '#test/simulation/services/faulty-table.ts';
import type { AlertItem } from './alert-check.ts';

export type OutboxInvariantsWorld = {
  readonly broken: (invariant: string, what: string) => void;
  readonly met: (what: 'folded alert' | 'summary of held alerts') => void;
  /** Whether an alert has a record of its own. */
  readonly isPosted: (alert: string) => boolean;
};

export type Outbox = {
  readonly generation: number;
  readonly alerts: number;
  readonly outbox: readonly AlertItem[];
  readonly folded?: { readonly counts: Readonly<Record<string, number>> } | undefined;
};

/** Whether one was silenced is held against acknowledgements elsewhere. */
const SILENCEABLE = ['reminder', 'worsened'];

/** Holds alerts in their watch's outbox until they are where they must be. */
export function createOutboxInvariants({ broken, met, isPosted }: OutboxInvariantsWorld) {
  /** What a contract's actor makes goes into the outbox, or into the counts of what is folded. */
  const filled = (path: string, before: Outbox, after: Outbox) => {
    const made = after.alerts - before.alerts;
    const folded = folds(after) - folds(before);
    if (folded > 0) met('folded alert');
    if (single(before).length + made === single(after).length + folded) return;
    broken('an outbox loses nothing', `${path}: ${said(before)}, then ${said(after)}`);
  };

  /**
   * What a list's actor takes out was posted, is reported by a summary, or is of a kind that an
   * acknowledgement may silence.
   */
  const emptied = (path: string, before: Outbox, after: Outbox) => {
    const kept = new Set(after.outbox.map(({ id }) => id));
    const left = before.outbox.filter(({ id }) => !kept.has(id));
    const reported = after.outbox.filter(
      ({ id }) => !before.outbox.some((other) => other.id === id),
    );
    const [summary] = reported;
    if (summary === undefined) {
      const lost = left.find(({ id, kind }) => !SILENCEABLE.includes(kind) && !isPosted(id));
      if (lost !== undefined) broken('nothing leaves an outbox for nowhere', `${path} ${lost.id}`);
      return;
    }
    met('summary of held alerts');
    const last = single(before).at(-1);
    const isOfAll = reported.length === 1 && single(after).length === 0;
    if (before.folded !== undefined && isOfAll && summary.id === `${last?.id}s`) return;
    broken(
      'one summary reports all that was held',
      `${path}: ${said(before)}, then ${said(after)}`,
    );
  };

  return {
    watchWritten: ({ key: { pk, sk }, before, after, by }: Written) => {
      if (before === undefined) return;
      const was = before as unknown as Outbox;
      const is = (after ?? { ...before, outbox: [] }) as unknown as Outbox;
      if (was.generation !== is.generation) return;
      // What was said of a rule that was no more is not sent: another invariant sees to that.
      const isLeaving = after === undefined || after.admin === 'removed';
      if (isLeaving && by.function === 'run-contracts') return;
      if (by.function === 'run-contracts') filled(`${pk} ${sk}`, was, is);
      if (by.function === 'notify-watchers') emptied(`${pk} ${sk}`, was, is);
    },
  };
}

function single({ outbox }: Outbox): readonly AlertItem[] {
  return outbox.filter(({ kind }) => kind !== 'summary');
}

/** How many alerts of an outbox are counted only. */
export function folds({ folded }: Pick<Outbox, 'folded'>): number {
  return Object.values(folded?.counts ?? {}).reduce((sum, count) => sum + count, 0);
}

function said(watch: Outbox): string {
  return `${watch.alerts} made, ${folds(watch)} folded, ${watch.outbox.map(({ id }) => id).join()}`;
}
