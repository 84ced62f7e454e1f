import { UsageError } from '#infra/command-line/usage-error.ts';
import type { RestoreWindow, StageTables } from '#infra/operate/account/stage-tables.ts';
import { tablePrefix } from '#infra/stack/stages.ts';

type RestorePorts = {
  readonly tables: Pick<StageTables, 'restoreWindow' | 'restore' | 'status'>;
  readonly wait: (milliseconds: number) => Promise<void>;
  readonly report: (event: RestoreEvent) => void;
};

export type RestoreEvent =
  /** The points in time to which the source can be restored. */
  | ({ readonly event: 'window'; readonly source: string } & RestoreWindow)
  | { readonly event: 'began'; readonly table: string; readonly at: Date }
  | { readonly event: 'waiting'; readonly minutes: number }
  | {
      readonly event: 'restored';
      readonly stage: string;
      readonly table: string;
      readonly source: string;
    };

type Restore = {
  readonly stage: string;
  readonly source: string;
  /** If undefined, the command only reports the possible points in time. */
  readonly at: Date | 'latest' | undefined;
};

const CHECK_INTERVAL = 10_000;
const MINUTE = 60_000;
const LONGEST = 24 * 60 * MINUTE;

/**
 * Restores the source to a point in time, as a new table. The stack and its table are not changed.
 * A repetition with the same point in time continues to wait for the same table.
 */
export async function restoreTable(
  { tables, wait, report }: RestorePorts,
  { stage, source, at: wanted }: Restore,
): Promise<void> {
  const window = await tables.restoreWindow(source);
  if (window === undefined) {
    throw new UsageError(
      `the table ${source} cannot be restored to a point in time: its point-in-time recovery is off`,
    );
  }
  report({ event: 'window', source, ...window });
  if (wanted === undefined) return;
  const at = wanted === 'latest' ? window.latest : wanted;
  const table = restoredName(stage, at);
  if ((await tables.status(table)) === undefined) {
    expectWithin(window, at);
    await tables.restore(source, table, at);
  }
  report({ event: 'began', table, at });
  for (let waited = 0; (await tables.status(table)) !== 'ACTIVE'; waited += CHECK_INTERVAL) {
    if (waited >= LONGEST) {
      throw new UsageError(`the table ${table} is still being created: repeat the command later`);
    }
    if (waited % MINUTE === 0) report({ event: 'waiting', minutes: waited / MINUTE });
    await wait(CHECK_INTERVAL);
  }
  report({ event: 'restored', stage, table, source });
}

/** The name of the new table, such as `floorwatch-prod-Restored-20261126T015900Z`. */
function restoredName(stage: string, at: Date): string {
  const moment = at.toISOString().replace(/\.\d+/, '').replace(/[-:]/g, '');
  return `${tablePrefix(stage)}Restored-${moment}`;
}

function expectWithin({ earliest, latest }: RestoreWindow, at: Date): void {
  const nearest = at < earliest ? earliest : at > latest ? latest : undefined;
  if (nearest === undefined) return;
  throw new UsageError(
    `--at ${at.toISOString()} is outside the restorable range; the nearest possible time is ${nearest.toISOString()}`,
  );
}
