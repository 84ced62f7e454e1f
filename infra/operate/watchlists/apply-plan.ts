import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { Interface, Outcome, Problem } from '#infra/operate/interface.ts';
import {
  type Deletes,
  type Extra,
  type Plan,
  type PlannedChange,
  pathIn,
  problemsOf,
  tryChange,
} from './plan-changes.ts';
import type { ChangeResult, WatchlistsEvent } from './report.ts';
import type { FileProblem } from './source-file.ts';

type Report = (event: WatchlistsEvent) => void;

/** Reports the changes of a plan. Returns true if there are none. */
export function comparePlan(
  { changes, extras }: Plan,
  deletes: Deletes | undefined,
  report: Report,
): boolean {
  for (const change of changes) {
    const differs = isHeld(change, deletes) ? 'would_be_held' : 'would_change';
    report(changeEvent(change, isUnchanged(change) ? 'unchanged' : differs));
  }
  for (const extra of extras) {
    const result = isDeleted(extra, deletes) ? 'would_be_deleted' : leftAs(extra);
    report({ event: 'extra', kind: extra.kind, id: extra.id, result });
  }
  const unchanged = changes.filter(isUnchanged).length;
  report({ event: 'compared', differing: changes.length - unchanged, unchanged });
  return unchanged === changes.length && !extras.some((extra) => isDeleted(extra, deletes));
}

/** Applies a plan, one list after the other. Returns true if all changes were applied. */
export async function applyPlan(
  http: Interface,
  { changes, extras }: Plan,
  deletes: Deletes | undefined,
  report: Report,
): Promise<boolean> {
  const results: ChangeResult[] = [];
  for (const change of changes) {
    const tried = await applyChange(http, change, deletes);
    const result = typeof tried === 'string' ? tried : 'failed';
    report(changeEvent(change, result));
    if (typeof tried !== 'string') {
      for (const problem of tried) report({ event: 'problem', ...problem });
    }
    results.push(result);
  }
  let isDone = true;
  for (const extra of extras) {
    const { kind, id } = extra;
    const result = isDeleted(extra, deletes) ? await remove(http, extra) : leftAs(extra);
    if (typeof result === 'string') report({ event: 'extra', kind, id, result });
    else report({ event: 'extra', kind, id, result: 'failed', why: result.detail });
    isDone &&= typeof result === 'string';
  }
  const count = (counted: ChangeResult) => results.filter((result) => result === counted).length;
  const [changed, unchanged] = [count('changed'), count('unchanged')];
  report({ event: 'applied', changed, unchanged });
  return isDone && changed + unchanged === changes.length;
}

function changeEvent({ desired, ...change }: PlannedChange, result: ChangeResult): WatchlistsEvent {
  return { event: 'change', id: desired.id, file: desired.file, result, ...change };
}

/** Whether a change is withheld because it would delete parts of a list without `--delete`. */
function isHeld({ differences }: PlannedChange, deletes: Deletes | undefined): boolean {
  return deletes === undefined && differences.some(({ how }) => how === 'removed');
}

function isUnchanged({ revision, differences }: PlannedChange): boolean {
  return revision !== null && differences.length === 0;
}

/** A list that this version cannot read is never deleted, because nobody can check its content. */
function isDeleted(extra: Extra, deletes: Deletes | undefined): boolean {
  return deletes === 'all' && leftAs(extra) === 'left';
}

function leftAs({ kind, revision }: Extra): 'left' | 'unreadable' {
  return kind === 'watchlist' && revision === undefined ? 'unreadable' : 'left';
}

async function applyChange(
  http: Interface,
  change: PlannedChange,
  deletes: Deletes | undefined,
): Promise<ChangeResult | readonly FileProblem[]> {
  if (isUnchanged(change)) return 'unchanged';
  if (isHeld(change, deletes)) return 'held';
  const { kind, desired } = change;
  // All contact points share one revision, which an earlier change may have increased.
  const now = kind === 'watchlist' ? change : await tryChange(http, kind, desired, desired.body);
  if (!('kind' in now)) return now;
  if (!isDeepStrictEqual(now.differences, change.differences)) return 'conflict';
  const { body } = desired;
  const { revision } = now;
  const put = await http.ask(`PUT ${pathIn(kind, desired.id)}`, z.unknown(), { body, revision });
  if (put.kind === 'answered') return 'changed';
  return CONFLICTS.has(put.problem.status) ? 'conflict' : problemsOf(desired, put.problem);
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
