import type { Printer } from '#infra/command-line/printer.ts';
import { type ApplyReport, isDeleted, isUnchanged, losesParts } from './apply-plan.ts';
import type { ExportReport } from './export-lists.ts';
import type { Deletes, Extra, Plan, PlannedChange } from './plan-changes.ts';
import type { FileProblem } from './source-file.ts';

/** The output of `npm run watchlists`. */
export type Report = ApplyReport &
  ExportReport & {
    readonly problems: (problems: readonly FileProblem[]) => void;
    readonly wouldChange: (plan: Plan, deletes: Deletes | undefined) => void;
  };

/** JSON lines, for programs. */
export function reportInJson({ line }: Printer): Report {
  const change = (planned: PlannedChange, result: object) => {
    const { kind, desired, revision, differences, restarted, warnings } = planned;
    const { id, file } = desired;
    line({
      event: 'change',
      kind,
      id,
      file,
      revision,
      ...result,
      differences,
      restarted,
      warnings,
    });
  };
  const extra = ({ kind, id }: Extra, result: object) =>
    line({ event: 'extra', kind, id, ...result });
  const problems = (all: readonly FileProblem[]) => {
    for (const problem of all) line({ event: 'problem', ...problem });
  };
  return {
    problems,
    wouldChange: ({ changes, extras }, deletes) => {
      for (const planned of changes) {
        change(planned, { result: isUnchanged(planned) ? 'unchanged' : 'would_change' });
      }
      for (const one of extras) {
        extra(one, { result: isDeleted(one, deletes) ? 'would_be_deleted' : 'left' });
      }
    },
    change: (planned, result) => {
      change(planned, { result: result.kind });
      if (result.kind === 'failed') problems(result.problems);
    },
    extra: (one, result) =>
      extra(
        one,
        typeof result === 'string' ? { result } : { result: 'failed', why: result.detail },
      ),
    file: (file) => line({ event: 'file', file }),
    unreadable: (id) => line({ event: 'unreadable', id }),
    variable: (referred) => line({ event: 'variable', ...referred }),
  };
}

/** Plain text, for people. */
export function reportInWords({ write, writeError }: Printer): Report {
  const problems = (all: readonly FileProblem[]) => {
    for (const { file, line, pointer, detail } of all) {
      writeError(`${file}:${line}: ${pointer === '' ? '' : `${pointer}: `}${detail}\n`);
    }
  };
  const titled = ({ kind, desired }: PlannedChange, what: string) =>
    write(`${kind} ${desired.id} (${desired.file}) ${what}\n`);
  const described = (change: PlannedChange) => {
    write(differencesInWords(change));
    if (change.restarted.length > 0) {
      write(`  closes the open episodes of ${change.restarted.join(', ')}\n`);
    }
    for (const warning of change.warnings) write(`  warning: ${warning}\n`);
  };
  const fateOf = ({ kind, id, revision }: Extra, what: string) =>
    write(
      `${kind} ${id} is not in the directory, and ${revision === undefined && kind === 'watchlist' ? 'this version of the stack cannot read it: it is left' : what}\n`,
    );
  return {
    problems,

    wouldChange: ({ changes, extras }, deletes) => {
      for (const change of changes.filter((planned) => !isUnchanged(planned))) {
        titled(change, `would be ${change.revision === null ? 'made' : 'changed'}:`);
        described(change);
        if (losesParts(change) && deletes === undefined) write(`  only with ${PARTS}\n`);
      }
      for (const extra of extras) {
        fateOf(extra, isDeleted(extra, deletes) ? 'would be deleted' : LEFT);
      }
      const same = changes.filter(isUnchanged).length;
      const differing = changes.length - same;
      write(`${differing} to make or change, ${same} as in the files\n`);
    },

    change: (change, result) => {
      switch (result.kind) {
        case 'unchanged':
          return titled(change, 'is as in the file');
        case 'done':
          titled(change, `was ${change.revision === null ? 'made' : 'changed'}:`);
          return described(change);
        case 'held':
          titled(change, 'is left as it is: it has parts that the file lacks');
          write(differencesInWords(change));
          return write(`  add them to the file, or give ${PARTS}\n`);
        case 'conflict':
          return titled(
            change,
            'was changed by somebody else meanwhile, and is left as it is: look at the difference again',
          );
        case 'failed':
          titled(change, 'was not changed:');
          return problems(result.problems);
      }
    },

    extra: (extra, result) => {
      if (result === 'deleted') fateOf(extra, 'was deleted');
      else if (result === 'left') fateOf(extra, LEFT);
      else fateOf(extra, `was not deleted: ${result.detail}`);
    },

    file: (file) => write(`${file} is written\n`),
    unreadable: (id) =>
      write(`watchlist ${id} is left out: this version of the stack cannot read it\n`),
    variable: ({ name, of, kept }) =>
      write(`  set ${name} to the secret of ${of}; ${name}=${kept} keeps the one that is there\n`),
  };
}

const PARTS = '--delete parts';
const LEFT = 'is left as it is (--delete all deletes it)';

function differencesInWords({ differences }: PlannedChange): string {
  const lines = differences.flatMap(({ part, name, how, members }) => [
    `  ${how} ${name === null ? 'the list' : `${part} ${name}`}\n`,
    ...members.map(({ member, before, after }) => `    ${member} ${moved(before, after)}\n`),
  ]);
  return lines.join('');
}

/** `20 → 21`. */
function moved(before: string | null, after: string | null): string {
  if (before === null || after === null) return shown(after ?? `${shown(before ?? '')} no more`);
  const [was, is] = [shown(before), shown(after)];
  return `${was} → ${was === is ? 'another secret' : is}`;
}

/** Secrets have names, which say nothing to a person. */
function shown(text: string): string {
  return text.replaceAll(/kept:[0-9a-f]{8}/g, 'a secret');
}
