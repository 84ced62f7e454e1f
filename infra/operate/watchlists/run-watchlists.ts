import type { Printer } from '#infra/command-line/printer.ts';
import { applyPlan, isDeleted, isUnchanged } from './apply-plan.ts';
import { readDirectory } from './directory.ts';
import { exportLists } from './export-lists.ts';
import type { Interface } from './interface.ts';
import { planChanges } from './plan-changes.ts';
import { reportInJson, reportInWords } from './report.ts';
import type { Variables } from './secrets.ts';
import { DIFFERENT, type WatchlistsOptions } from './watchlists-options.ts';

/** Runs a command; returns its exit code. */
export async function runWatchlists(
  http: Interface,
  options: WatchlistsOptions,
  variables: Variables,
  printer: Printer,
): Promise<number> {
  const report = (options.json ? reportInJson : reportInWords)(printer);
  const { directory } = options;
  if (options.command === 'export') {
    await exportLists(http, directory, report);
    return 0;
  }
  const { delete: deletes } = options;
  const plan = await planChanges(http, await readDirectory(directory, variables));
  report.problems(plan.problems);
  if (options.command === 'diff') {
    report.wouldChange(plan, deletes);
    if (plan.problems.length > 0) return 1;
    const isSame =
      plan.changes.every(isUnchanged) && !plan.extras.some((extra) => isDeleted(extra, deletes));
    return isSame ? 0 : DIFFERENT;
  }
  if (plan.problems.length > 0) {
    printer.writeError('nothing was changed\n');
    return 1;
  }
  return (await applyPlan(http, plan, deletes, report)) ? 0 : 1;
}
