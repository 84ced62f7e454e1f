import { UsageError } from './usage-error.ts';

/** A stack as a command line names it. */
export type Stack =
  | { readonly kind: 'deployed'; readonly stage: string }
  /** One that `npm start` runs, by the address of its interface. */
  | { readonly kind: 'local'; readonly url: string };

/** The stack that `--stage` or `--local` names; undefined where neither was given. */
export function readStack(stage: string | undefined, local: string | undefined): Stack | undefined {
  if (stage !== undefined && local !== undefined) {
    throw new UsageError('give either --stage NAME or --local URL');
  }
  if (local !== undefined && !URL.canParse(local)) {
    throw new UsageError(`--local must be the address that npm start printed, not ${local}`);
  }
  if (stage !== undefined) return { kind: 'deployed', stage: readStageName(stage) };
  return local === undefined ? undefined : { kind: 'local', url: local };
}

/** The name of a stage, as `--stage` gives it. */
export function readStageName(stage: string): string {
  if (/^[a-z][a-z0-9]*$/.test(stage)) return stage;
  throw new UsageError(`--stage must be the name of a stage such as dev, not ${stage}`);
}
