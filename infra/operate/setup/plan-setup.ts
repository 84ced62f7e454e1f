import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { UsageError } from '#infra/command-line/usage-error.ts';
import type { CloudStack } from '#infra/operate/account/cloud-stacks.ts';
import type { EmailSending } from '#infra/operate/account/email-sending.ts';
import { expectHome, type Identity } from '#infra/operate/account/identify.ts';
import { BUSY_AT_ONCE, RESERVING_ACCOUNT } from '#infra/stack/concurrency.ts';
import { type Created, findStage, type Settings, type Stage } from '#infra/stack/stages.ts';
import { isChannelKey, publicHalfOf } from '#shared/clients/channel-key.ts';
import { isPushKey, publicPushKeyOf } from '#shared/clients/push-key.ts';
import { defined } from '#shared/domain/defined.ts';
import type { MainProvider } from '#shared/domain/market/provider.ts';
import { omit } from '#shared/domain/omit.ts';
import { type FoundTables, type PlannedTable, planTable } from './plan-table.ts';
import type { SetupAnswers } from './setup-answers.ts';

/** The current state of a stage. */
export type Found = {
  readonly settings: Settings | undefined;
  readonly secret: (name: string) => Promise<string | undefined>;
  /** The version of CDK's bootstrap stack; undefined if there is none. */
  readonly bootstrapVersion: number | undefined;
  readonly stack: FoundStack | undefined;
  readonly tables: FoundTables;
  /** The account's limit of concurrent Lambda executions. */
  readonly concurrencyLimit: () => Promise<number>;
  /** The sending limits of SES for a sender address. */
  readonly emailSending: (sender: string) => Promise<EmailSending>;
};

type FoundStack = Pick<CloudStack, 'status' | 'isProtected'>;

type Fate = 'is made' | 'is changed' | 'stays';

/** The steps to set up a stage. Contains no secret. */
export type SetupPlan = {
  readonly stage: Stage;
  /** The sending limits of SES; undefined if SNS sends the emails. */
  readonly emails: EmailSending | undefined;
  readonly settings: { readonly kept: Settings; readonly fate: Fate };
  readonly secrets: readonly PlannedSecret[];
  readonly bootstrap: Fate;
  readonly stack: Exclude<Fate, 'stays'>;
  /** A stack whose first deployment failed; it is deleted before the next attempt. */
  readonly failedStack: FoundStack | undefined;
  /**
   * The resource that is created first and protected later; undefined if all exist, or the stage
   * retains no data.
   */
  readonly creates: Created | undefined;
  /**
   * The concurrency limit of the account, if AWS reports it, and the concurrency of a busy stage.
   */
  readonly concurrency: { readonly limit: number | undefined; readonly enough: number };
  readonly table: PlannedTable;
};

export type PlannedSecret = {
  readonly kind:
    | 'upstream key'
    | 'one-week API key'
    | 'second key'
    | 'channel key'
    | 'channel public key'
    | 'push key'
    | 'push public key'
    | 'link key'
    | 'Slack webhook';
  readonly parameter: string;
  readonly fate: Fate;
};

/** The bootstrap version that CDK's templates require; a deployment with an older version fails. */
export const BOOTSTRAP_VERSION = 6;

/** Plans the setup of a stage. Throws a UsageError if it cannot proceed. */
export async function planSetup(
  name: string,
  { account, region }: Identity,
  answers: SetupAnswers,
  found: Found,
): Promise<SetupPlan> {
  expectHome(name, found.settings?.deployedTo, { account, region });
  const table = planTable(answers.table, found.settings?.tableName, found.tables);
  const settings = withTable(
    newSettings(name, { account, region }, answers, found.settings),
    table,
  );
  const stage = readStage(name, settings);
  // REVIEW_IN_PROGRESS is a change set that was never executed; it blocks no deployment.
  const stack = found.stack?.status === 'REVIEW_IN_PROGRESS' ? undefined : found.stack;
  if (stack !== undefined && /_IN_PROGRESS$/.test(stack.status)) {
    throw new UsageError(
      `the stack floorwatch-${name} is ${stack.status}: wait until this operation ends, then repeat the command`,
    );
  }
  const failedStack = stack !== undefined && FAILED_CREATION.has(stack.status) ? stack : undefined;
  const isNew = stack === undefined || failedStack !== undefined;
  if (answers.instantKey && stage.upstreamProvider !== 'opensea') {
    throw new UsageError(
      `only opensea creates keys without an account, not ${stage.upstreamProvider}. Give --provider opensea, or the key of ${stage.upstreamProvider} with --upstream-key-from`,
    );
  }
  if (stage.reservesConcurrency) expectRoom(await found.concurrencyLimit());
  return {
    stage,
    emails:
      stage.emailSender === undefined
        ? undefined
        : await verifiedSending(stage.emailSender, region, found),
    settings: { kept: settings, fate: fateOf(found.settings, settings) },
    secrets: await planSecrets(stage, answers, found),
    bootstrap: bootstrapFate(found.bootstrapVersion),
    stack: isNew ? 'is made' : 'is changed',
    failedStack,
    creates: stage.retainsData ? created(isNew, table, found.tables) : undefined,
    concurrency: {
      // The limit is only shown, so an error here must not fail the deployment.
      limit: await found.concurrencyLimit().catch(() => undefined),
      enough: BUSY_AT_ONCE,
    },
    table,
  };
}

/** States of a stack that CloudFormation can neither complete nor update. */
const FAILED_CREATION: ReadonlySet<string> = new Set(['ROLLBACK_COMPLETE', 'ROLLBACK_FAILED']);

function created(
  isNew: boolean,
  { existing }: PlannedTable,
  { inUse }: FoundTables,
): Created | undefined {
  if (isNew) return 'stack';
  return existing === undefined && inUse?.isOwn !== true ? 'table' : undefined;
}

function withTable(
  { tableName: _before, ...settings }: Settings,
  { existing }: PlannedTable,
): Settings {
  return existing === undefined ? settings : { ...settings, tableName: existing };
}

/** Throws if SES would refuse all emails from the address. */
async function verifiedSending(
  sender: string,
  region: string,
  { emailSending }: Found,
): Promise<EmailSending> {
  const sending = await emailSending(sender);
  if (sending.isVerified) return sending;
  throw new UsageError(
    `SES in ${region} has verified neither ${sender} nor its domain: verify one of them (SES console, Identities), then repeat the command, or give --email-sender none`,
  );
}

/** Throws if the account's limit is too low for the concurrency that the stage reserves. */
function expectRoom(limit: number): void {
  if (limit >= RESERVING_ACCOUNT) return;
  throw new UsageError(
    `the account is limited to ${limit} concurrent executions in this region, but "reservesConcurrency" needs ${RESERVING_ACCOUNT}: ask AWS for a higher limit (Service Quotas, AWS Lambda, Concurrent executions), or remove "reservesConcurrency" from the settings`,
  );
}

function newSettings(
  name: string,
  deployedTo: NonNullable<Settings['deployedTo']>,
  {
    upstreamKey,
    instantKey,
    secondKey: _key,
    secondProvider,
    table: _table,
    ...answers
  }: SetupAnswers,
  known: Settings | undefined,
): Settings {
  const { awsBudget, firewall, emailSender, slackWebhook, ...wanted } = answers;
  const before = settingsFor(wanted.upstreamProvider, known);
  const isNewKey = upstreamKey !== undefined || instantKey;
  return defined({
    ...before,
    upstreamKeyEndsAt: isNewKey ? undefined : before.upstreamKeyEndsAt,
    ...defined(wanted),
    awsBudgetPerMonth: unlessNone(awsBudget ?? before.awsBudgetPerMonth),
    firewallRequestsPerAddress: unlessNone(firewall ?? before.firewallRequestsPerAddress),
    emailSender: unlessNone(emailSender ?? before.emailSender),
    ...withSecond(secondProvider, known?.otherProviders),
    ...(slackWebhook !== undefined && {
      slackWebhookParameter: known?.slackWebhookParameter ?? `/floorwatch/${name}/slack-webhook`,
    }),
    deployedTo,
  });
}

/** The answer `none` removes the current value. */
function unlessNone<Value>(answer: Value): Exclude<Value, 'none'> | undefined {
  return answer === 'none' ? undefined : (answer as Exclude<Value, 'none'>);
}

function withSecond(
  provider: SetupAnswers['secondProvider'],
  known: Settings['otherProviders'] = [],
): Pick<Settings, 'otherProviders'> {
  if (provider === undefined) return {};
  if (provider === 'none') return { otherProviders: [] };
  const [before] = known;
  // The same provider keeps its current settings.
  return before?.provider === provider ? {} : { otherProviders: [{ provider }] };
}

/** The settings for a provider. URL, key and limits of another provider are removed. */
export function settingsFor(
  provider: MainProvider | undefined,
  known: Settings | undefined = {},
): Settings {
  const before = known.upstreamProvider ?? 'nft-data';
  if (provider === undefined || provider === before) return known;
  const kept = omit(
    known,
    'upstreamUrl',
    'upstreamKeyParameter',
    'upstreamKeyEndsAt',
    'upstreamBudgetPerHour',
    'upstreamBudgetPerDay',
    'upstreamBudgetPerMonth',
    'upstreamCosts',
    'upstreamCallsPerSecond',
  );
  return { ...kept, upstreamProvider: provider };
}

function readStage(name: string, settings: Settings): Stage {
  try {
    return findStage(name, settings);
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    throw new UsageError(z.prettifyError(error), { cause: error });
  }
}

async function planSecrets(
  {
    upstreamKeyParameter,
    channelKeyParameter,
    channelPublicKeyParameter,
    pushKeyParameter,
    pushPublicKeyParameter,
    linkKeyParameter,
    slackWebhookParameter,
    otherProviders: [second],
  }: Stage,
  { upstreamKey, instantKey, secondKey, slackWebhook }: SetupAnswers,
  { secret }: Found,
): Promise<readonly PlannedSecret[]> {
  const given = async (
    kind: PlannedSecret['kind'],
    parameter: string,
    wanted: string | undefined,
    option: string,
  ): Promise<PlannedSecret> => {
    const known = await secret(parameter);
    if (known === undefined && wanted === undefined) {
      throw new UsageError(
        `the parameter ${parameter} (${kind}) does not exist: give its value with ${option}`,
      );
    }
    return { kind, parameter, fate: fateOf(known, wanted ?? known) };
  };
  const channelKey = await secret(channelKeyParameter);
  const publicHalf = channelKey === undefined ? undefined : halfOf(channelKey, channelKeyParameter);
  const pushKey = await secret(pushKeyParameter);
  const publicPushKey =
    pushKey === undefined ? undefined : publicPushKeyIn(pushKey, pushKeyParameter);
  return [
    instantKey
      ? {
          kind: 'one-week API key',
          parameter: upstreamKeyParameter,
          fate: (await secret(upstreamKeyParameter)) === undefined ? 'is made' : 'is changed',
        }
      : await given('upstream key', upstreamKeyParameter, upstreamKey, '--upstream-key-from'),
    ...(second === undefined
      ? []
      : [await given('second key', second.keyParameter, secondKey, '--second-key-from')]),
    {
      kind: 'channel key',
      parameter: channelKeyParameter,
      fate: channelKey === undefined ? 'is made' : 'stays',
    },
    {
      kind: 'channel public key',
      parameter: channelPublicKeyParameter,
      fate: fateOf(await secret(channelPublicKeyParameter), publicHalf),
    },
    {
      kind: 'push key',
      parameter: pushKeyParameter,
      fate: pushKey === undefined ? 'is made' : 'stays',
    },
    {
      kind: 'push public key',
      parameter: pushPublicKeyParameter,
      fate: fateOf(await secret(pushPublicKeyParameter), publicPushKey),
    },
    {
      kind: 'link key',
      parameter: linkKeyParameter,
      fate: (await secret(linkKeyParameter)) === undefined ? 'is made' : 'stays',
    },
    ...(slackWebhookParameter === undefined
      ? []
      : [
          await given('Slack webhook', slackWebhookParameter, slackWebhook, '--slack-webhook-from'),
        ]),
  ];
}

function publicPushKeyIn(pushKey: string, parameter: string): string {
  if (isPushKey(pushKey)) return publicPushKeyOf(pushKey);
  throw new UsageError(
    `the value of ${parameter} is not a key for Web Push: delete the parameter, repeat the command, then add the devices again`,
  );
}

function halfOf(channelKey: string, parameter: string): string {
  if (isChannelKey(channelKey)) return publicHalfOf(channelKey);
  throw new UsageError(
    `the value of ${parameter} is not a channel key: delete the parameter, repeat the command, then enter the secrets of channels again`,
  );
}

function bootstrapFate(version: number | undefined): Fate {
  if (version === undefined) return 'is made';
  return version < BOOTSTRAP_VERSION ? 'is changed' : 'stays';
}

function fateOf(known: unknown, wanted: unknown): Fate {
  if (known === undefined) return 'is made';
  return isDeepStrictEqual(known, wanted) ? 'stays' : 'is changed';
}
