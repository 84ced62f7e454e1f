import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { RESERVING_ACCOUNT } from '#infra/concurrency.ts';
import { expectHome, type Identity } from '#infra/operate/account/identify.ts';
import { UsageError } from '#infra/operate/usage-error.ts';
import { findStage, type Settings, type Stage } from '#infra/stages.ts';
import { isChannelKey, publicHalfOf } from '#shared/clients/channel-key.ts';
import { defined } from '#shared/domain/defined.ts';
import type { Wishes } from './wishes.ts';

/** What is there of a stage already. */
export type Found = {
  readonly settings: Settings | undefined;
  readonly secret: (name: string) => Promise<string | undefined>;
  /** The version of what CDK has put into the account. */
  readonly bootstrapVersion: number | undefined;
  /** What CloudFormation says of the stack. */
  readonly stackStatus: string | undefined;
  /** How many functions the account may run at once. */
  readonly concurrencyLimit: () => Promise<number>;
};

type Fate = 'is made' | 'is changed' | 'stays';

/** What setting up a stage comes to. No secret is in it. */
export type SetupPlan = {
  readonly stage: Stage;
  readonly settings: { readonly kept: Settings; readonly fate: Fate };
  readonly secrets: readonly PlannedSecret[];
  readonly bootstrap: Fate;
  readonly stack: Exclude<Fate, 'stays'>;
};

export type PlannedSecret = {
  readonly kind: 'upstream key' | 'channel key' | 'channel public key' | 'Slack webhook';
  readonly parameter: string;
  readonly fate: Fate;
};

/** What CDK's templates ask for; a deployment is refused below it. */
export const BOOTSTRAP_VERSION = 6;

/** Works out what is to be done, or why it cannot be. */
export async function planSetup(
  name: string,
  { account, region }: Identity,
  wishes: Wishes,
  found: Found,
): Promise<SetupPlan> {
  expectHome(name, found.settings?.deployedTo, { account, region });
  const settings = wishedSettings(name, { account, region }, wishes, found.settings);
  const stage = readStage(name, settings);
  const isUnderWay = /_IN_PROGRESS$/.test(found.stackStatus ?? '');
  // What was looked at and never executed is in nobody's way.
  if (isUnderWay && found.stackStatus !== 'REVIEW_IN_PROGRESS') {
    throw new UsageError(
      `the stack floorwatch-${name} is ${found.stackStatus}: wait until that is done`,
    );
  }
  if (stage.reservesConcurrency) expectRoom(await found.concurrencyLimit());
  return {
    stage,
    settings: { kept: settings, fate: fateOf(found.settings, settings) },
    secrets: await planSecrets(stage, wishes, found),
    bootstrap: bootstrapFate(found.bootstrapVersion),
    stack: found.stackStatus === undefined ? 'is made' : 'is changed',
  };
}

/** Throws where AWS would refuse to reserve what the stage reserves. */
function expectRoom(limit: number): void {
  if (limit >= RESERVING_ACCOUNT) return;
  throw new UsageError(
    `the account may run ${limit} functions at once here, and "reservesConcurrency" takes ${RESERVING_ACCOUNT}: ask AWS for more (Service Quotas, AWS Lambda, Concurrent executions), or leave it out of the settings`,
  );
}

function wishedSettings(
  name: string,
  deployedTo: NonNullable<Settings['deployedTo']>,
  { upstreamKey: _, slackWebhook, ...wished }: Wishes,
  known: Settings | undefined,
): Settings {
  return {
    ...known,
    ...defined(wished),
    ...(slackWebhook !== undefined && {
      slackWebhookParameter: known?.slackWebhookParameter ?? `/floorwatch/${name}/slack-webhook`,
    }),
    deployedTo,
  };
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
    slackWebhookParameter,
  }: Stage,
  { upstreamKey, slackWebhook }: Wishes,
  { secret }: Found,
): Promise<readonly PlannedSecret[]> {
  const given = async (
    kind: PlannedSecret['kind'],
    parameter: string,
    wished: string | undefined,
    option: string,
  ): Promise<PlannedSecret> => {
    const known = await secret(parameter);
    if (known === undefined && wished === undefined) {
      throw new UsageError(`there is no ${kind} in ${parameter}: give it by ${option}`);
    }
    return { kind, parameter, fate: fateOf(known, wished ?? known) };
  };
  const channelKey = await secret(channelKeyParameter);
  const publicHalf = channelKey === undefined ? undefined : halfOf(channelKey, channelKeyParameter);
  return [
    await given('upstream key', upstreamKeyParameter, upstreamKey, '--upstream-key-from'),
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
    ...(slackWebhookParameter === undefined
      ? []
      : [
          await given('Slack webhook', slackWebhookParameter, slackWebhook, '--slack-webhook-from'),
        ]),
  ];
}

function halfOf(channelKey: string, parameter: string): string {
  if (isChannelKey(channelKey)) return publicHalfOf(channelKey);
  throw new UsageError(
    `what is in ${parameter} is no channel key: delete it, and give the secrets of channels again`,
  );
}

function bootstrapFate(version: number | undefined): Fate {
  if (version === undefined) return 'is made';
  return version < BOOTSTRAP_VERSION ? 'is changed' : 'stays';
}

function fateOf(known: unknown, wished: unknown): Fate {
  if (known === undefined) return 'is made';
  return isDeepStrictEqual(known, wished) ? 'stays' : 'is changed';
}
