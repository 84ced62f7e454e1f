import { UsageError } from '#infra/command-line/usage-error.ts';
import type { StackTable } from '#infra/operate/account/cloud-stacks.ts';

/** The tables of a stage, and the table that its stack uses. */
export type FoundTables = {
  readonly all: readonly string[];
  /** Undefined if there is no stack, or its creation was never completed. */
  readonly inUse: (StackTable & { readonly lacking: readonly string[] }) | undefined;
};

export type PlannedTable = {
  /** An existing table; undefined if the stack creates its own. */
  readonly existing: string | undefined;
  /** Whether the stack starts to use the table, which is then adopted before the deployment. */
  readonly isAdopted: boolean;
  /** The table that the stack stops using. */
  readonly replaced: { readonly name: string; readonly isKept: boolean } | undefined;
};

/** The value of `--table` that requests a new, empty table, which the stack creates. */
export const NEW_TABLE = 'new';

/**
 * Chooses the table: by the options, then by the settings, then the table in use, then the only
 * table that an earlier stack retained.
 */
export function planTable(
  asked: string | undefined,
  known: string | undefined,
  { all, inUse }: FoundTables,
): PlannedTable {
  const wanted = asked ?? known ?? inUse?.name ?? leftBehind(all);
  const isOwn = wanted === undefined || (wanted === inUse?.name && inUse.isOwn);
  const existing = isOwn || wanted === NEW_TABLE ? undefined : wanted;
  if (existing !== undefined && !all.includes(existing)) {
    const known = all.length === 0 ? 'it has none' : `it has ${all.join(', ')}`;
    throw new UsageError(
      `the stage has no table ${existing} in this account and region (${known}): give --table with a table of the stage, or --table ${NEW_TABLE}`,
    );
  }
  // With `new`, the stack's own table stays in use.
  const stays = existing === undefined ? inUse?.isOwn === true : existing === inUse?.name;
  if (stays && inUse !== undefined && inUse.lacking.length > 0) {
    throw new UsageError(
      `the table ${inUse.name} of this stage was created by an older version: it lacks ${inUse.lacking.join(', ')}, which cannot be added to an existing table. Delete the stage with npm run operate -- destroy, then set it up again with --table ${NEW_TABLE}`,
    );
  }
  return {
    existing,
    isAdopted: existing !== undefined && !stays,
    replaced:
      inUse === undefined || stays
        ? undefined
        : { name: inUse.name, isKept: !inUse.isOwn || inUse.isRetained },
  };
}

function leftBehind(all: readonly string[]): string | undefined {
  const [only, ...others] = all;
  if (others.length === 0) return only;
  throw new UsageError(
    `earlier stacks retained several tables: choose one with --table: ${all.join(', ')}, or ${NEW_TABLE}`,
  );
}
