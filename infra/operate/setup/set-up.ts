import type { Created, Settings, Stage } from '#infra/stack/stages.ts';
import { publicHalfOf } from '#shared/clients/channel-key.ts';
import { publicPushKeyOf } from '#shared/clients/push-key.ts';
import { isLive } from '#shared/domain/access/api-key.ts';
import { formatInstant } from '#shared/domain/market/instant.ts';
import type { InstantKey } from '#shared/providers/opensea/answers.ts';
import type { Adoption } from '#shared/stores/adopt-table.ts';
import type { ApiKeyStore } from '#shared/stores/api-key-store.ts';
import { createKey, type IssuedKey, type KeyPorts } from '#shared/use-cases/manage-keys.ts';
import type { PlannedSecret, SetupPlan } from './plan-setup.ts';
import type { SetupAnswers } from './setup-answers.ts';

export type SetupPorts = {
  readonly writeSettings: (settings: Settings) => void;
  /** Creates a secret and returns true, or returns false if the secret exists. */
  readonly makeSecret: (parameter: string, value: string) => Promise<boolean>;
  readonly putSecret: (parameter: string, value: string) => Promise<void>;
  readonly readSecret: (parameter: string) => Promise<string | undefined>;
  readonly makeChannelKey: () => Promise<string>;
  readonly makePushKey: () => string;
  readonly makeLinkKey: () => string;
  /** Lets the provider at a URL create a key without an account. */
  readonly makeInstantKey: (url: string) => Promise<InstantKey>;
  readonly bootstrap: () => Promise<void>;
  /**
   * Applies all settings in the template to a table; a restore or a person may have changed them.
   */
  readonly protectTable: (name: string, stage: Stage) => Promise<void>;
  /** Prepares a table that replaces the stack's previous table. */
  readonly adoptTable: (name: string, before: string | undefined) => Promise<Adoption>;
  /** Turns termination protection off. */
  readonly unprotectStack: () => Promise<void>;
  /** Deploys the stage. A resource that this deployment creates stays unprotected. */
  readonly deploy: (creates: Created | undefined) => Promise<Deployed>;
  /** The API keys in a table. */
  readonly keysIn: (tableName: string) => AllKeys;
  /** Writes the list of the canary into a table if the list is missing or differs. */
  readonly keepCanary: (tableName: string) => Promise<void>;
  readonly report: (event: SetUpEvent) => void;
};

/** The keys of all tenants. */
type AllKeys = KeyPorts & { readonly keys: Pick<ApiKeyStore, 'all'> };

export type SetUpEvent =
  /** A step begins. */
  | { readonly event: 'step'; readonly step: Step }
  /** The data that the stack's new table took over from the previous one. */
  | ({ readonly event: 'adopted'; readonly table: string } & Adoption);

export type Step =
  | 'settings'
  | 'secrets'
  | 'bootstrap'
  | 'table'
  | 'deploy'
  | 'protect'
  | 'canary'
  | 'key';

/** The outputs of a deployed stack. */
export type Deployed = {
  readonly url: string;
  readonly tableName: string;
  /** The target of the DNS record, if the stage has its own domain name. */
  readonly domainTarget?: string | undefined;
};

export type SetUp = Deployed & {
  /** The first API key; undefined if a live key exists. */
  readonly firstKey: IssuedKey | undefined;
};

/**
 * Executes the plan. Each step checks the result of an earlier run, so a repetition completes an
 * interrupted run.
 */
export async function setUp(
  ports: SetupPorts,
  plan: SetupPlan,
  answers: SetupAnswers,
  tenant: string,
): Promise<SetUp> {
  const { report } = ports;
  const instantKey = answers.instantKey
    ? await ports.makeInstantKey(plan.stage.upstreamUrl)
    : undefined;
  report({ event: 'step', step: 'settings' });
  ports.writeSettings({
    ...plan.settings.kept,
    ...(instantKey && { upstreamKeyEndsAt: formatInstant(instantKey.endsAt) }),
  });
  report({ event: 'step', step: 'secrets' });
  for (const secret of plan.secrets) {
    await keepSecret(ports, plan.stage, secret, { ...answers, instantKey: instantKey?.key });
  }
  if (plan.bootstrap !== 'stays') {
    report({ event: 'step', step: 'bootstrap' });
    await ports.bootstrap();
  }
  await keepTable(ports, plan);
  const deployed = await deploy(ports, plan);
  report({ event: 'step', step: 'canary' });
  await ports.keepCanary(deployed.tableName);
  report({ event: 'step', step: 'key' });
  return { ...deployed, firstKey: await firstKey(ports.keysIn(deployed.tableName), tenant) };
}

/**
 * Adopts a table before the deployment, while no function uses it, so a repetition can complete an
 * interrupted adoption.
 */
async function keepTable(
  { report, protectTable, adoptTable }: SetupPorts,
  { stage, table: { existing, isAdopted, replaced } }: SetupPlan,
): Promise<void> {
  if (existing === undefined) return;
  report({ event: 'step', step: 'table' });
  await protectTable(existing, stage);
  if (!isAdopted) return;
  const adoption = await adoptTable(existing, replaced?.name);
  report({ event: 'adopted', table: existing, ...adoption });
}

/**
 * Protects a new stack or table only after its creation: CloudFormation can then roll back a failed
 * creation, and the next attempt can delete the failed stack. The protection is part of the
 * template, so a failed update does not turn it off.
 */
async function deploy(
  { report, unprotectStack, deploy: deployWith, protectTable }: SetupPorts,
  { stage, table, failedStack, creates }: SetupPlan,
): Promise<Deployed> {
  report({ event: 'step', step: 'deploy' });
  if (failedStack?.isProtected) await unprotectStack();
  if (creates !== undefined) {
    await deployWith(creates);
    report({ event: 'step', step: 'protect' });
  }
  const deployed = await deployWith(undefined);
  // CloudFormation does not detect that somebody changed a setting by hand.
  if (stage.retainsData && table.existing === undefined) {
    await protectTable(deployed.tableName, stage);
  }
  return deployed;
}

type GivenSecrets = Pick<SetupAnswers, 'upstreamKey' | 'secondKey' | 'slackWebhook'> & {
  readonly instantKey: string | undefined;
};

async function keepSecret(
  ports: SetupPorts,
  { channelKeyParameter, pushKeyParameter }: Stage,
  { kind, parameter, fate }: PlannedSecret,
  { upstreamKey, instantKey, secondKey, slackWebhook }: GivenSecrets,
): Promise<void> {
  const { makeSecret, putSecret } = ports;
  /**
   * Public keys are derived from the stored private key, because a concurrent setup may have
   * created it.
   */
  const storedKey = async (name: string): Promise<string> => {
    const key = await ports.readSecret(name);
    if (key === undefined)
      throw new Error(`${name} was deleted during the setup: repeat the command`);
    return key;
  };
  if (fate === 'stays') return;
  if (kind === 'channel key') {
    // Never replace a channel key: only this key can decrypt the stored secrets of channels.
    await makeSecret(parameter, await ports.makeChannelKey());
    return;
  }
  if (kind === 'channel public key') {
    await putSecret(parameter, publicHalfOf(await storedKey(channelKeyParameter)));
    return;
  }
  if (kind === 'push key') {
    // Never replace a push key: browsers accept only messages with the key of their subscription.
    await makeSecret(parameter, ports.makePushKey());
    return;
  }
  if (kind === 'push public key') {
    await putSecret(parameter, publicPushKeyOf(await storedKey(pushKeyParameter)));
    return;
  }
  if (kind === 'link key') {
    await makeSecret(parameter, ports.makeLinkKey());
    return;
  }
  const given = {
    'upstream key': upstreamKey,
    'one-week API key': instantKey,
    'second key': secondKey,
    'Slack webhook': slackWebhook,
  };
  const value = given[kind];
  if (value !== undefined) await putSecret(parameter, value);
}

async function firstKey(ports: AllKeys, tenant: string): Promise<IssuedKey | undefined> {
  const all = await ports.keys.all();
  if (all.some((key) => isLive(key, ports.now))) return undefined;
  return await createKey(ports, {
    tenant,
    name: 'the first key',
    scopes: ['read', 'write'],
    expiresAt: undefined,
  });
}
