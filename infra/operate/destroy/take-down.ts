import type {
  CloudResource,
  CloudStack,
  CloudStacks,
} from '#infra/operate/account/cloud-stacks.ts';
import type { ListTopics } from '#infra/operate/account/list-topics.ts';
import type { SecureStrings } from '#infra/operate/account/secure-strings.ts';
import { UsageError } from '#infra/operate/usage-error.ts';
import type { Stage } from '#infra/stages.ts';

export type TakeDownPorts = {
  readonly stacks: CloudStacks;
  readonly topics: ListTopics;
  readonly secrets: SecureStrings;
  readonly hasSettings: () => boolean;
  readonly removeSettings: () => void;
  readonly wait: (milliseconds: number) => Promise<void>;
  /** Is reported what begins, and each look at what takes long. */
  readonly report: (step: Step) => void;
};

export type Step = 'stack' | 'still deleting' | 'topics' | 'secrets' | 'settings';

/** What there is of a stage. */
export type Remains = {
  readonly stack: CloudStack | undefined;
  readonly topics: readonly string[];
  readonly secrets: readonly string[];
  readonly hasSettings: boolean;
  /** Whether the table stays when the stack goes, or has stayed. */
  readonly retainsData: boolean;
};

/** What stays of a stage. */
export type Left = {
  readonly resources: readonly CloudResource[];
  readonly secrets: readonly string[];
};

const LOOK_AGAIN = 5000;
const LONGEST = 45 * 60_000;

export async function findRemains(ports: TakeDownPorts, stage: Stage): Promise<Remains> {
  const name = stackName(stage);
  const stack = await ports.stacks.find(name);
  return {
    stack,
    // No other stage has topics of that prefix: names of stages hold no hyphen.
    topics: await ports.topics.named(`${name}-`),
    secrets: await ports.secrets.below(`/floorwatch/${stage.name}`),
    hasSettings: ports.hasSettings(),
    // What is deployed counts, not what is to be deployed next.
    retainsData: stack ? await ports.stacks.retainsTable(name) : stage.retainsData,
  };
}

export function isNothing({ stack, topics, secrets, hasSettings }: Remains): boolean {
  return stack === undefined && topics.length + secrets.length === 0 && !hasSettings;
}

/** Throws where more, or less, would be deleted than was asked for. */
export function expectAgreed({ retainsData }: Remains, stage: Stage, leaveData: boolean): void {
  if (retainsData && !leaveData) {
    throw new UsageError(
      `the stage ${stage.name} retains its data: --leave-data deletes all but its table, the key of its secrets and its settings`,
    );
  }
  if (leaveData && !retainsData) {
    throw new UsageError(
      `the stage ${stage.name} retains no data, its table goes with the stack: leave --leave-data out if that is meant`,
    );
  }
}

/**
 * Deletes what there is of a stage; returns what stays. The stack goes first, so that nothing makes
 * topics any more; the settings last, since they say where the rest is.
 */
export async function takeDown(
  ports: TakeDownPorts,
  stage: Stage,
  { stack, secrets, retainsData }: Remains,
): Promise<Left> {
  const resources = stack ? await deleteStack(ports, stackName(stage), stack) : [];
  ports.report('topics');
  for (const topic of await ports.topics.named(`${stackName(stage)}-`)) {
    await ports.topics.delete(topic);
  }
  const kept = secrets.filter((name) => retainsData && name === stage.channelKeyParameter);
  ports.report('secrets');
  for (const name of secrets) if (!kept.includes(name)) await ports.secrets.delete(name);
  if (!retainsData) {
    ports.report('settings');
    ports.removeSettings();
  }
  return { resources, secrets: kept };
}

async function deleteStack(
  { stacks, wait, report }: TakeDownPorts,
  name: string,
  { id, isProtected }: CloudStack,
): Promise<readonly CloudResource[]> {
  report('stack');
  if (isProtected) await stacks.unprotect(name);
  await stacks.delete(name);
  for (let waited = 0; waited < LONGEST; waited += LOOK_AGAIN) {
    const now = await stacks.find(id);
    if (now === undefined || now.status === 'DELETE_COMPLETE') return await stacks.leftBy(id);
    if (now.status === 'DELETE_FAILED') {
      throw new UsageError(
        `the stack ${name} cannot be deleted: ${now.reason}. Mend that and repeat the command`,
      );
    }
    report('still deleting');
    await wait(LOOK_AGAIN);
  }
  throw new UsageError(`the stack ${name} is still being deleted: repeat the command later`);
}

function stackName({ name }: Stage): string {
  return `floorwatch-${name}`;
}
