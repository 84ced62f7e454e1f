import { createKey, type IssuedKey, type KeyPorts } from '#infra/operate/keys/manage-keys.ts';
import type { Settings, Stage } from '#infra/stages.ts';
import { publicHalfOf } from '#shared/clients/channel-key.ts';
import { isLive } from '#shared/domain/access/api-key.ts';
import type { PlannedSecret, SetupPlan } from './plan-setup.ts';
import type { Wishes } from './wishes.ts';

export type SetupPorts = {
  readonly writeSettings: (settings: Settings) => void;
  /** Makes a secret where there is none. */
  readonly makeSecret: (parameter: string, value: string) => Promise<boolean>;
  readonly putSecret: (parameter: string, value: string) => Promise<void>;
  readonly readSecret: (parameter: string) => Promise<string | undefined>;
  readonly makeChannelKey: () => Promise<string>;
  readonly bootstrap: () => Promise<void>;
  readonly deploy: () => Promise<Deployed>;
  /** The keys of the interface, in the table of that name. */
  readonly keysIn: (tableName: string) => KeyPorts;
  /** Is reported what begins. */
  readonly report: (step: Step) => void;
};

export type Step = 'settings' | 'secrets' | 'bootstrap' | 'deploy' | 'key';

/** What a deployed stack says of itself. */
export type Deployed = { readonly url: string; readonly tableName: string };

export type SetUp = Deployed & {
  /** The first key; undefined where somebody has one. */
  readonly firstKey: IssuedKey | undefined;
};

/**
 * Does what was planned. Each step finds what one before it has made, so whatever is cut short is
 * made up for by doing all of it again.
 */
export async function setUp(
  ports: SetupPorts,
  plan: SetupPlan,
  wishes: Wishes,
  tenant: string,
): Promise<SetUp> {
  const { report } = ports;
  report('settings');
  ports.writeSettings(plan.settings.kept);
  report('secrets');
  for (const secret of plan.secrets) await keepSecret(ports, plan.stage, secret, wishes);
  if (plan.bootstrap !== 'stays') {
    report('bootstrap');
    await ports.bootstrap();
  }
  report('deploy');
  const deployed = await ports.deploy();
  report('key');
  return { ...deployed, firstKey: await firstKey(ports.keysIn(deployed.tableName), tenant) };
}

async function keepSecret(
  { makeSecret, putSecret, readSecret, makeChannelKey }: SetupPorts,
  { channelKeyParameter }: Stage,
  { kind, parameter, fate }: PlannedSecret,
  { upstreamKey, slackWebhook }: Wishes,
): Promise<void> {
  if (fate === 'stays') return;
  if (kind === 'channel key') {
    // Never over one that is there: what is sealed opens under no other.
    await makeSecret(parameter, await makeChannelKey());
    return;
  }
  if (kind === 'channel public key') {
    // Of the one that is there: somebody else may have made it meanwhile.
    const channelKey = await readSecret(channelKeyParameter);
    if (channelKey === undefined) throw new Error(`${channelKeyParameter} has gone again`);
    await putSecret(parameter, publicHalfOf(channelKey));
    return;
  }
  const value = kind === 'upstream key' ? upstreamKey : slackWebhook;
  if (value !== undefined) await putSecret(parameter, value);
}

async function firstKey(ports: KeyPorts, tenant: string): Promise<IssuedKey | undefined> {
  const all = await ports.keys.all();
  if (all.some((key) => isLive(key, ports.now))) return undefined;
  return await createKey(ports, {
    tenant,
    name: 'the first key',
    scopes: ['read', 'write'],
    expiresAt: undefined,
  });
}
