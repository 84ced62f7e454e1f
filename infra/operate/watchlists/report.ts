import type { Words } from '#infra/command-line/printer.ts';
import type { Extra, PlannedChange } from './plan-changes.ts';
import type { Referred } from './secrets.ts';
import type { FileProblem } from './source-file.ts';

/** The events that the verb `watchlists` reports. */
export type WatchlistsEvent =
  | ({ readonly event: 'problem' } & FileProblem)
  /** No file was applied, because at least one is wrong. */
  | { readonly event: 'untouched' }
  | ({
      readonly event: 'change';
      readonly result: ChangeResult;
    } & Omit<PlannedChange, 'desired'> & { readonly id: string; readonly file: string })
  /** A list or contact point that the directory lacks. */
  | {
      readonly event: 'extra';
      readonly kind: Extra['kind'];
      readonly id: string;
      readonly result: ExtraResult;
      /** The reason why the list or contact point could not be deleted. */
      readonly why?: string;
    }
  /** The numbers of files, by result. */
  | { readonly event: 'compared'; readonly differing: number; readonly unchanged: number }
  | { readonly event: 'applied'; readonly changed: number; readonly unchanged: number }
  | { readonly event: 'written'; readonly file: string }
  /** A list that is not exported. */
  | { readonly event: 'unreadable'; readonly id: string }
  | ({ readonly event: 'variable' } & Referred);

export type ChangeResult =
  /** The stack already has the same list, so no change was sent. */
  | 'unchanged'
  | 'would_change'
  /** The list would lose parts, which needs `--delete`. */
  | 'would_be_held'
  | 'changed'
  /** Not changed: the list would lose parts that its file lacks. */
  | 'held'
  /** Somebody changed the list after it was read. */
  | 'conflict'
  /** The request failed; problems follow. */
  | 'failed';

type ExtraResult = 'left' | 'unreadable' | 'would_be_deleted' | 'deleted' | 'failed';

export function inWords(event: WatchlistsEvent): Words {
  switch (event.event) {
    case 'problem': {
      const { file, line, pointer, detail } = event;
      return { aside: `${file}:${line}: ${pointer === '' ? '' : `${pointer}: `}${detail}\n` };
    }
    case 'untouched':
      return { aside: 'nothing was changed\n' };
    case 'change':
      return changeInWords(event);
    case 'extra':
      return `${event.kind} ${event.id} is not in the directory, and ${extraInWords(event)}\n`;
    case 'compared':
      return `${event.differing} to create or change, ${event.unchanged} unchanged\n`;
    case 'applied':
      return `${event.changed} created or changed, ${event.unchanged} unchanged\n`;
    case 'written':
      return `wrote ${event.file}\n`;
    case 'unreadable':
      return `watchlist ${event.id} is skipped: this version of the stack cannot read it\n`;
    case 'variable': {
      const { name, of, kept } = event;
      return `  set ${name} to the secret of ${of}; ${name}=${kept} keeps the stored secret\n`;
    }
  }
}

type Change = Extract<WatchlistsEvent, { event: 'change' }>;

function changeInWords(change: Change): string {
  const { kind, id, file, revision, restarted, warnings } = change;
  const titled = (text: string) => `${kind} ${id} (${file}) ${text}\n`;
  const made = revision === null ? 'created' : 'changed';
  const described = [
    differencesInWords(change),
    restarted.length > 0 ? `  closes the open episodes of ${restarted.join(', ')}\n` : '',
    ...warnings.map((warning) => `  warning: ${warning}\n`),
  ].join('');
  switch (change.result) {
    case 'unchanged':
      return '';
    case 'would_change':
      return `${titled(`would be ${made}:`)}${described}`;
    case 'would_be_held':
      return `${titled(`would be ${made}:`)}${described}  requires ${PARTS}, because parts of the list are missing from the file\n`;
    case 'changed':
      return `${titled(`was ${made}:`)}${described}`;
    case 'held':
      return `${titled('was not changed, because it has parts that are missing from the file')}${differencesInWords(change)}  add these parts to the file, or delete them with ${PARTS}\n`;
    case 'conflict':
      return titled(
        'was not changed, because somebody else changed it during this run; run diff again',
      );
    case 'failed':
      return titled('was not changed:');
  }
}

const PARTS = '--delete parts';

function extraInWords({ result, why }: Extract<WatchlistsEvent, { event: 'extra' }>): string {
  const texts = {
    left: 'is kept (--delete all deletes it)',
    unreadable: 'is kept: this version of the stack cannot read it',
    would_be_deleted: 'would be deleted',
    deleted: 'was deleted',
    failed: `was not deleted: ${why}`,
  } as const satisfies Record<ExtraResult, string>;
  return texts[result];
}

function differencesInWords({ differences }: Change): string {
  const lines = differences.flatMap(({ part, name, how, members }) => [
    `  ${how} ${name === null ? 'the list' : `${part} ${name}`}\n`,
    ...members.map(({ member, before, after }) => `    ${member} ${moved(before, after)}\n`),
  ]);
  return lines.join('');
}

/** A changed member, such as `20 → 21`. */
function moved(before: string | null, after: string | null): string {
  if (before === null || after === null) return shown(after ?? `${shown(before ?? '')} (removed)`);
  const [was, is] = [shown(before), shown(after)];
  return `${was} → ${was === is ? 'another secret' : is}`;
}

/** Replaces the generated names of secrets, which mean nothing to a reader. */
function shown(text: string): string {
  return text.replaceAll(/kept:[0-9a-f]{8}/g, 'a secret');
}
