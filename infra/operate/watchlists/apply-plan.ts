import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { Interface, Outcome, Problem } from './interface.ts';
import {
  type Deletes,
  type Extra,
  type Plan,
  type PlannedChange,
  pathIn,
  problemsOf,
  tryChange,
} from './plan-changes.ts';
import type { FileProblem } from './source-file.ts';

/** What came of a planned change. */
type Result =
  /** It is there already; nothing was sent. */
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'done' }
  /** The list would lose parts that its file lacks, which was not asked for. */
  | { readonly kind: 'held' }
  /** Somebody has changed it since it was read. */
  | { readonly kind: 'conflict' }
  | { readonly kind: 'failed'; readonly problems: readonly FileProblem[] };

export type ApplyReport = {
  readonly change: (change: PlannedChange, result: Result) => void;
  readonly extra: (extra: Extra, result: 'left' | 'deleted' | Problem) => void;
};

/** Brings a plan into effect, one list after the other. Returns whether all of it is. */
export async function applyPlan(
  http: Interface,
  { changes, extras }: Plan,
  deletes: Deletes | undefined,
  report: ApplyReport,
): Promise<boolean> {
  let isWhole = true;
  for (const change of changes) {
    const result = await applyChange(http, change, deletes);
    report.change(change, result);
    if (result.kind !== 'done' && result.kind !== 'unchanged') isWhole = false;
  }
  for (const extra of extras) {
    const result = isDeleted(extra, deletes) ? await remove(http, extra) : 'left';
    report.extra(extra, result);
    if (typeof result !== 'string') isWhole = false;
  }
  return isWhole;
}

/** Whether a list has parts that its file lacks. */
export function losesParts({ differences }: PlannedChange): boolean {
  return differences.some(({ how }) => how === 'removed');
}

export function isUnchanged({ revision, differences }: PlannedChange): boolean {
  return revision !== null && differences.length === 0;
}

/** A list that this version cannot read is never deleted: nobody has seen what it is. */
export function isDeleted({ kind, revision }: Extra, deletes: Deletes | undefined): boolean {
  return deletes === 'all' && (kind === 'contact point' || revision !== undefined);
}

async function applyChange(
  http: Interface,
  change: PlannedChange,
  deletes: Deletes | undefined,
): Promise<Result> {
  if (isUnchanged(change)) return { kind: 'unchanged' };
  if (losesParts(change) && deletes === undefined) return { kind: 'held' };
  const { kind, desired } = change;
  // The revision of contact points is that of all of them, and moves with each.
  const now = kind === 'watchlist' ? change : await tryChange(http, kind, desired, desired.body);
  if (!('kind' in now)) return { kind: 'failed', problems: now };
  if (!isDeepStrictEqual(now.differences, change.differences)) return { kind: 'conflict' };
  const { body } = desired;
  const { revision } = now;
  const put = await http.ask(`PUT ${pathIn(kind, desired.id)}`, z.unknown(), { body, revision });
  if (put.kind === 'answered') return { kind: 'done' };
  if (CONFLICTS.has(put.problem.status)) return { kind: 'conflict' };
  return { kind: 'failed', problems: problemsOf(desired, put.problem) };
}

const CONFLICTS: ReadonlySet<number> = new Set([409, 412]);

async function remove(
  http: Interface,
  { kind, id, revision }: Extra,
): Promise<'deleted' | Problem> {
  const path = pathIn(kind, id);
  const read: Outcome<{ readonly revision: number }> =
    revision === undefined
      ? await http.ask(`GET ${path}`, Revised)
      : { kind: 'answered', answer: { revision } };
  if (read.kind === 'refused') return read.problem;
  const removed = await http.ask(`DELETE ${path}`, z.unknown(), read.answer);
  return removed.kind === 'refused' ? removed.problem : 'deleted';
}

const Revised = z.object({ revision: z.number() });
