import { UsageError } from '#infra/command-line/usage-error.ts';
import type {
  CloudResource,
  CloudStack,
  CloudStacks,
} from '#infra/operate/account/cloud-stacks.ts';
import type { Identity } from '#infra/operate/account/identify.ts';
import type { ListTopics } from '#infra/operate/account/list-topics.ts';
import type { SecureStrings } from '#infra/operate/account/secure-strings.ts';
import type { StageTables } from '#infra/operate/account/stage-tables.ts';
import type { Stage } from '#infra/stack/stages.ts';

export type DestroyPorts = {
  readonly stacks: CloudStacks;
  readonly topics: ListTopics;
  readonly secrets: SecureStrings;
  readonly tables: Pick<StageTables, 'named'>;
  readonly hasSettings: () => boolean;
  readonly removeSettings: () => void;
  readonly wait: (milliseconds: number) => Promise<void>;
  readonly report: (event: DestroyEvent) => void;
};

export type DestroyEvent =
  | ({ readonly event: 'account' } & Identity)
  | { readonly event: 'nothing'; readonly stage: string }
  /** The stack is represented by its status. */
  | ({
      readonly event: 'found';
      readonly stage: string;
      readonly stack: string | null;
    } & Omit<StageParts, 'stack'>)
  /** A step begins. */
  | { readonly event: 'step'; readonly step: 'stack' | 'topics' | 'secrets' | 'settings' }
  /** The stack is still being deleted. */
  | { readonly event: 'waiting'; readonly minutes: number }
  | ({ readonly event: 'left'; readonly stage: string } & Left);

/** The existing parts of a stage. */
export type StageParts = {
  readonly stack: CloudStack | undefined;
  readonly topics: readonly string[];
  readonly secrets: readonly string[];
  readonly hasSettings: boolean;
  /** Whether the table outlives the stack. */
  readonly retainsData: boolean;
};

/** The parts of a stage that are not deleted. */
export type Left = {
  readonly resources: readonly CloudResource[];
  readonly secrets: readonly string[];
};

const CHECK_INTERVAL = 5000;
const MINUTE = 60_000;
const LONGEST = 45 * MINUTE;

export async function findStageParts(ports: DestroyPorts, stage: Stage): Promise<StageParts> {
  const name = stackName(stage);
  const stack = await ports.stacks.find(name);
  return {
    stack,
    // Stage names contain no hyphen, so no other stage has topics with this prefix.
    topics: await ports.topics.named(`${name}-`),
    secrets: await ports.secrets.below(`/floorwatch/${stage.name}`),
    hasSettings: ports.hasSettings(),
    // The deletion policy of the deployed template applies, not the settings of the next
    // deployment.
    retainsData:
      (await ports.stacks.table(name))?.isRetained ??
      (stage.retainsData || stage.tableName !== undefined),
  };
}

export function isNothing({ stack, topics, secrets, hasSettings }: StageParts): boolean {
  return stack === undefined && topics.length + secrets.length === 0 && !hasSettings;
}

/** Throws if `--leave-data` does not match the stage. */
export function expectAgreed({ retainsData }: StageParts, stage: Stage, leaveData: boolean): void {
  if (retainsData && !leaveData) {
    throw new UsageError(
      `the stage ${stage.name} retains its data: give --leave-data to delete everything except its table, the channel and push keys, and its settings`,
    );
  }
  if (leaveData && !retainsData) {
    throw new UsageError(
      `the stage ${stage.name} retains no data: omit --leave-data to delete its table with the stack`,
    );
  }
}

/**
 * Deletes the parts of a stage; returns the remaining ones. The stack goes first, so that no
 * function creates another topic. The settings go last, because they contain the account and region
 * of the other parts.
 */
export async function destroyStage(
  ports: DestroyPorts,
  stage: Stage,
  { stack, secrets, retainsData }: StageParts,
): Promise<Left> {
  const left = stack ? await deleteStack(ports, stackName(stage), stack) : [];
  ports.report({ event: 'step', step: 'topics' });
  for (const topic of await ports.topics.named(`${stackName(stage)}-`)) {
    await ports.topics.delete(topic);
  }
  // The retained table needs these keys: they decrypt the secrets of channels, and sign the
  // messages to subscribed devices.
  const needed = [stage.channelKeyParameter, stage.pushKeyParameter];
  const kept = secrets.filter((name) => retainsData && needed.includes(name));
  ports.report({ event: 'step', step: 'secrets' });
  for (const name of secrets) if (!kept.includes(name)) await ports.secrets.delete(name);
  if (!retainsData) {
    ports.report({ event: 'step', step: 'settings' });
    ports.removeSettings();
  }
  return { resources: [...left, ...(await otherTables(ports, stage, left))], secrets: kept };
}

/** Restored tables, and tables that earlier stacks retained: no stack deletes them. */
async function otherTables(
  { tables }: DestroyPorts,
  stage: Stage,
  left: readonly CloudResource[],
): Promise<readonly CloudResource[]> {
  const known = new Set(left.map(({ id }) => id));
  const names = await tables.named(stage.name);
  return names.flatMap((id) => (known.has(id) ? [] : [{ type: 'AWS::DynamoDB::Table', id }]));
}

async function deleteStack(
  { stacks, wait, report }: DestroyPorts,
  name: string,
  { id, isProtected }: CloudStack,
): Promise<readonly CloudResource[]> {
  report({ event: 'step', step: 'stack' });
  if (isProtected) await stacks.unprotect(name);
  await stacks.delete(name);
  for (let waited = 0; waited < LONGEST; waited += CHECK_INTERVAL) {
    const now = await stacks.find(id);
    if (now === undefined || now.status === 'DELETE_COMPLETE') return await stacks.leftBy(id);
    if (now.status === 'DELETE_FAILED') {
      throw new UsageError(
        `the stack ${name} cannot be deleted: ${now.reason}. Fix the cause and repeat the command`,
      );
    }
    if (waited % MINUTE === 0) report({ event: 'waiting', minutes: waited / MINUTE });
    await wait(CHECK_INTERVAL);
  }
  throw new UsageError(`the stack ${name} is still being deleted: repeat the command later`);
}

function stackName({ name }: Stage): string {
  return `floorwatch-${name}`;
}
