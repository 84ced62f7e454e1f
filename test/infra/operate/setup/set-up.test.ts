import { describe, expect, it } from 'vitest';
import { createMemoryTable } from '#infra/local/memory-table.ts';
import type { StackTable } from '#infra/operate/account/cloud-stacks.ts';
import type { Identity } from '#infra/operate/account/identify.ts';
import { BOOTSTRAP_VERSION, planSetup, type SetupPlan } from '#infra/operate/setup/plan-setup.ts';
import type { FoundTables } from '#infra/operate/setup/plan-table.ts';
import { type SetupPorts, setUp } from '#infra/operate/setup/set-up.ts';
import { FIREWALL_PRICE, type SetupAnswers } from '#infra/operate/setup/setup-answers.ts';
import { createFloorwatchApp } from '#infra/stack/floorwatch-app.ts';
import { type Created, findStage, type Settings, type Stage } from '#infra/stack/stages.ts';
import { publicHalfOf } from '#shared/clients/channel-key.ts';
import { publicPushKeyOf } from '#shared/clients/push-key.ts';
import { isLive } from '#shared/domain/access/api-key.ts';
import { DAY, formatInstant } from '#shared/domain/market/instant.ts';
import { createApiKeyStore } from '#shared/stores/api-key-store.ts';
import prices from '#test/bench/costs/prices.json' with { type: 'json' };
import {
  type Assembly,
  createFakeCloudFormation,
  Template,
} from '#test/infra/operate/setup/fake-cloud-formation.ts';
import { withoutBundling } from '#test/infra/synthesized.ts';
import { NOON } from '#test/support/builders.ts';
import {
  OTHER_CHANNEL_KEY as MADE_BY_ANOTHER,
  CHANNEL_KEY as SOME_KEY,
} from '#test/support/channel-keys.ts';
import { PUSH_KEY } from '#test/support/push-key.ts';

const HERE: Identity = { account: '123456789012', region: 'eu-west-1', arn: 'arn:of:ops' };
const KEY_OF = '/floorwatch/prod/upstream-key';
const CHANNEL_KEY = '/floorwatch/prod/channel-key';
const PUBLIC_KEY = '/floorwatch/prod/channel-public-key';
const PRIVATE_PUSH_KEY = '/floorwatch/prod/push-key';
const PUBLIC_PUSH_KEY = '/floorwatch/prod/push-public-key';
const LINK_KEY = '/floorwatch/prod/link-key';
const SLACK = '/floorwatch/prod/slack-webhook';

/** The name of the table that the stack's first deployment creates. */
const OWN_TABLE = 'floorwatch-prod-WatchTableF7A0942E-1';

class Killed extends Error {}

/** A stack with this status. Its other members are arbitrary. */
function aStack(status: string) {
  return {
    status,
    isProtected: true,
    template: Template.parse({ Resources: {} }),
    names: new Map(),
  };
}

const assemblies = new Map<string, Assembly>();

/**
 * The cloud assembly that CDK synthesizes for a stage. Templates are cached, because a synthesis is
 * slow.
 */
function synthesized(stage: Stage, creates: Created | undefined): Assembly {
  const key = `${stage.tableName === undefined} ${creates}`;
  const made = assemblies.get(key) ?? synthesizeAssembly(stage, creates);
  assemblies.set(key, made);
  return made;
}

function synthesizeAssembly(stage: Stage, creates: Created | undefined): Assembly {
  const fast = { builtinCloudFormationValidation: false, treeMetadata: false };
  const app = createFloorwatchApp({ ...fast, stage, context: { ...withoutBundling, creates } });
  const { template, terminationProtection } = app
    .synth()
    .getStackByName(`floorwatch-${stage.name}`);
  return {
    template: Template.parse(template),
    terminationProtection: terminationProtection ?? false,
  };
}

/** An in-memory account, in which setup can be interrupted after each change. */
function anAccount() {
  const cloud = createFakeCloudFormation('floorwatch-prod');
  const account = {
    cloud,
    settings: undefined as Settings | undefined,
    secrets: new Map<string, string>(),
    bootstrapVersion: undefined as number | undefined,
    limit: 10,
    /** The tables of the account. By default these are the tables of the fake CloudFormation. */
    tables: undefined as FoundTables | undefined,
    did: [] as string[],
    killAfter: undefined as number | undefined,
  };
  const keys = createApiKeyStore(createMemoryTable());
  let drawn = 0;
  const random = (bytes: number) => {
    drawn += 1;
    return new Uint8Array(bytes).fill(drawn);
  };
  const done = (what: string) => {
    account.did.push(what);
    if (account.did.length === account.killAfter) throw new Killed(what);
  };
  const ports: SetupPorts = {
    writeSettings: (kept) => {
      account.settings = kept;
      done('settings');
    },
    makeSecret: async (parameter, value) => {
      const isNew = !account.secrets.has(parameter);
      if (isNew) account.secrets.set(parameter, value);
      done(parameter);
      return isNew;
    },
    putSecret: async (parameter, value) => {
      account.secrets.set(parameter, value);
      done(parameter);
    },
    readSecret: async (parameter) => account.secrets.get(parameter),
    makeChannelKey: async () => SOME_KEY,
    makePushKey: () => PUSH_KEY,
    makeLinkKey: () => 'a link key',
    makeInstantKey: async (url) => {
      done(`key of ${url}`);
      return { key: 'made for a week', endsAt: NOON + 7 * DAY, readsPerHour: 600 };
    },
    bootstrap: async () => {
      account.bootstrapVersion = 21;
      done('bootstrap');
    },
    protectTable: async (name, { retainsData }) => {
      cloud.tables.set(name, { isProtected: retainsData });
      done(`protect ${name}`);
    },
    adoptTable: async (name, before) => {
      done(`adopt ${name} beside ${before}`);
      return { carried: 0, ended: 0, renumbered: 0, topics: 0, unsent: {} };
    },
    unprotectStack: async () => {
      if (cloud.stack) cloud.stack.isProtected = false;
      done('unprotect the stack');
    },
    deploy: async (creates) => {
      const stage = findStage('prod', account.settings);
      cloud.deploy(synthesized(stage, creates));
      done(creates === undefined ? 'deploy' : `deploy a new ${creates}`);
      const tableName = stage.tableName ?? cloud.ownTable()?.name ?? '';
      return { url: 'https://api.example.com/prod/', tableName };
    },
    keysIn: () => ({
      now: NOON,
      random: () => random(32),
      keys: {
        ...keys,
        commit: async (change) => {
          await keys.commit(change);
          done('key');
        },
      },
      entryOf: () => undefined,
    }),
    keepCanary: async () => done('canary'),
    report: () => {},
  };
  const plan = (answers: SetupAnswers, identity = HERE) =>
    planSetup('prod', identity, answers, {
      ...account,
      stack: cloud.stack,
      tables: account.tables ?? {
        all: [...cloud.tables.keys()],
        inUse: withNothingLacking(cloud.ownTable()),
      },
      secret: async (name) => account.secrets.get(name),
      concurrencyLimit: async () => account.limit,
      emailSending: async (sender) => ({
        ...{ sender, isVerified: sender.endsWith('@example.com'), isSandbox: true },
        ...{ isEnabled: true, perDay: 200, perSecond: 1, sentInDay: 0 },
      }),
    });
  return Object.assign(account, {
    plan,
    setUp: async (answers: SetupAnswers, planned?: SetupPlan) =>
      setUp(ports, planned ?? (await plan(answers)), answers, 'main'),
    liveKeys: async () => (await keys.all()).filter((key) => isLive(key, NOON)),
  });
}

describe('a stage whose emails SES sends', () => {
  const answers = { upstreamKey: 'key', emailSender: 'alerts@example.com' };

  it('the plan shows the SES limits, and a stage keeps its email sender until an option replaces or removes it', async () => {
    const account = anAccount();

    const { emails } = await account.plan(answers);
    await account.setUp(answers);
    const kept = (await account.plan({})).stage.emailSender;
    const none = await account.plan({ emailSender: 'none' });

    expect(emails).toMatchObject({ isSandbox: true, perDay: 200 });
    expect(kept).toBe('alerts@example.com');
    expect([none.stage.emailSender, none.emails]).toEqual([undefined, undefined]);
  });

  it('an email sender that SES would refuse is rejected', async () => {
    const account = anAccount();

    await expect(account.plan({ ...answers, emailSender: 'me@stranger.org' })).rejects.toThrow(
      'SES in eu-west-1 has verified neither me@stranger.org nor its domain',
    );
    expect(account.did).toEqual([]);
  });
});

describe('a stage with an AWS budget', () => {
  const answers = { upstreamKey: 'key', operatorEmails: ['ops@example.com'] };

  it('a stage keeps its AWS budget until an option changes or removes it', async () => {
    const account = anAccount();
    await account.setUp({ ...answers, awsBudget: 20 });

    expect((await account.plan({})).stage.awsBudgetPerMonth).toBe(20);
    expect((await account.plan({ awsBudget: 30 })).stage.awsBudgetPerMonth).toBe(30);
    expect((await account.plan({ awsBudget: 'none' })).settings.kept).not.toHaveProperty(
      'awsBudgetPerMonth',
    );
  });

  it('an AWS budget is rejected without operators, because nobody would get its emails', async () => {
    await expect(anAccount().plan({ upstreamKey: 'key', awsBudget: 20 })).rejects.toThrow(
      'expected one to ten operatorEmails, because budget emails are sent to them',
    );
  });
});

describe('the firewall of a stage', () => {
  it("an upgrade keeps the firewall's limit until an option changes it or turns it off", async () => {
    const account = anAccount();
    const first = await account.plan({ upstreamKey: 'key' });
    await account.setUp({ upstreamKey: 'key', firewall: 9000 });

    expect(first.stage.firewallRequestsPerAddress).toBeUndefined();
    expect((await account.plan({})).stage.firewallRequestsPerAddress).toBe(9000);
    expect((await account.plan({ firewall: 10 })).stage.firewallRequestsPerAddress).toBe(10);
    expect((await account.plan({ firewall: 'none' })).settings.kept).not.toHaveProperty(
      'firewallRequestsPerAddress',
    );
  });

  it('the firewall has the same price in the questions and in the cost table', () => {
    const { firewallMonth, firewallMillionRequests } = prices.dollars;

    expect(FIREWALL_PRICE).toBe(
      `$${firewallMonth} a month and $${firewallMillionRequests.toFixed(2)} per million requests`,
    );
  });
});

describe('a stage that reserves concurrency', () => {
  const reserving = (limit: number) => {
    const account = anAccount();
    account.limit = limit;
    account.settings = { reservesConcurrency: true };
    return account.plan({ upstreamKey: 'up' });
  };

  it("reserved concurrency is rejected if the account's limit is too low, because AWS keeps 100 executions unreserved", async () => {
    await expect(reserving(403)).rejects.toThrow(
      'the account is limited to 403 concurrent executions in this region, but "reservesConcurrency" needs 404',
    );
  });

  it("reserved concurrency is accepted if the account's limit suffices", async () => {
    expect((await reserving(404)).stage.reservesConcurrency).toBe(true);
  });
});

it("the plan compares the account's concurrency limit with the needs of a busy stage", async () => {
  const { concurrency } = await anAccount().plan({ upstreamKey: 'up' });

  expect(concurrency).toEqual({ limit: 10, enough: 304 });
});

describe('setting up', () => {
  it('setup turns an empty account into a stage with a first key, and stores secrets only in SSM', async () => {
    const account = anAccount();
    const slackWebhook = 'https://hooks.slack.com/services/T0/B0/abc';
    const operatorEmails = ['ops@example.com'];

    const { firstKey } = await account.setUp({ operatorEmails, upstreamKey: 'up', slackWebhook });

    expect(account.did).toEqual([
      ...[
        'settings',
        KEY_OF,
        CHANNEL_KEY,
        PUBLIC_KEY,
        PRIVATE_PUSH_KEY,
        PUBLIC_PUSH_KEY,
        LINK_KEY,
        SLACK,
        'bootstrap',
        'deploy a new stack',
        'deploy',
        `protect ${OWN_TABLE}`,
        'canary',
        'key',
      ],
    ]);
    expect(account.settings).toEqual({
      ...{ operatorEmails, slackWebhookParameter: SLACK },
      deployedTo: { account: '123456789012', region: 'eu-west-1' },
    });
    expect(account.secrets.get(KEY_OF)).toBe('up');
    expect(account.secrets.get(CHANNEL_KEY)).toBe(SOME_KEY);
    expect(account.secrets.get(PUBLIC_KEY)).toBe(publicHalfOf(SOME_KEY));
    expect(account.secrets.get(PRIVATE_PUSH_KEY)).toBe(PUSH_KEY);
    expect(account.secrets.get(PUBLIC_PUSH_KEY)).toBe(publicPushKeyOf(PUSH_KEY));
    expect(account.secrets.get(LINK_KEY)).toBe('a link key');
    expect(firstKey?.record).toMatchObject({ tenant: 'main', scopes: ['read', 'write'] });
  });

  it('repeating the setup upgrades the stage, and keeps its settings, secrets and keys', async () => {
    const account = anAccount();
    await account.setUp({ operatorEmails: ['ops@example.com'], upstreamKey: 'up' });
    account.settings = { ...account.settings, pollCadenceMinutes: 7 };
    const secrets = new Map(account.secrets);
    account.did.length = 0;

    const { firstKey } = await account.setUp({ upstreamBudgetPerDay: 50_000 });

    expect(account.did).toEqual(['settings', 'deploy', `protect ${OWN_TABLE}`, 'canary']);
    expect(account.settings).toMatchObject({
      ...{ operatorEmails: ['ops@example.com'], pollCadenceMinutes: 7 },
      upstreamBudgetPerDay: 50_000,
    });
    expect(account.secrets).toEqual(secrets);
    expect(firstKey).toBeUndefined();
    expect(await account.liveKeys()).toHaveLength(1);
  });

  it('repeating the setup completes a setup that was interrupted at any step', async () => {
    const answers = { upstreamKey: 'up', operatorEmails: ['ops@example.com'] };
    const undisturbed = anAccount();
    await undisturbed.setUp(answers);

    for (const killAfter of undisturbed.did.keys().map((index) => index + 1)) {
      const account = anAccount();
      account.killAfter = killAfter;
      await expect(account.setUp(answers)).rejects.toThrow(Killed);
      const sealedUnder = account.secrets.get(CHANNEL_KEY);
      account.killAfter = undefined;

      await account.setUp(answers);

      expect(account.settings).toEqual(undisturbed.settings);
      expect(account.secrets.keys().toArray()).toEqual([
        ...[KEY_OF, CHANNEL_KEY, PUBLIC_KEY, PRIVATE_PUSH_KEY, PUBLIC_PUSH_KEY, LINK_KEY],
      ]);
      if (sealedUnder) expect(account.secrets.get(CHANNEL_KEY)).toBe(sealedUnder);
      expect(account.cloud.stack).toMatchObject({ isProtected: true });
      expect([...account.cloud.tables.values()]).toEqual([{ isProtected: true }]);
      expect(await account.liveKeys()).toHaveLength(1);
    }
  });

  it('setup never replaces the key that encrypts the secrets of channels', async () => {
    const account = anAccount();
    const answers = { upstreamKey: 'up' };
    const plan = await account.plan(answers);
    account.secrets.set(CHANNEL_KEY, MADE_BY_ANOTHER);

    await account.setUp(answers, plan);

    expect(account.secrets.get(CHANNEL_KEY)).toBe(MADE_BY_ANOTHER);
    expect(account.secrets.get(PUBLIC_KEY)).toBe(publicHalfOf(MADE_BY_ANOTHER));
  });

  it('setup derives the public channel key again if it is missing or belongs to another key', async () => {
    const account = anAccount();
    await account.setUp({ upstreamKey: 'up' });
    for (const found of [publicHalfOf(MADE_BY_ANOTHER), undefined]) {
      if (found === undefined) account.secrets.delete(PUBLIC_KEY);
      else account.secrets.set(PUBLIC_KEY, found);

      await account.setUp({});

      expect(account.secrets.get(PUBLIC_KEY)).toBe(publicHalfOf(SOME_KEY));
    }
  });

  it('setup rejects a stored value that is not a channel key', async () => {
    const account = anAccount();
    account.secrets.set(CHANNEL_KEY, Buffer.alloc(32, 'k').toString('base64'));

    await expect(account.plan({ upstreamKey: 'up' })).rejects.toThrow(
      'the value of /floorwatch/prod/channel-key is not a channel key: delete the parameter',
    );
  });
});

function withNothingLacking(table: StackTable | undefined) {
  return table && { ...table, lacking: [] };
}

describe('the table', () => {
  const OWN = 'floorwatch-prod-WatchTable1';
  const RESTORED = 'floorwatch-prod-Restored-1';
  const used = (name: string) => ({
    ...{ name, isOwn: name === OWN, isRetained: true, lacking: [] },
  });
  const stageWith = (all: readonly string[], inUse?: string) => {
    const account = anAccount();
    account.tables = { all, inUse: inUse === undefined ? undefined : used(inUse) };
    if (inUse !== undefined) account.cloud.stack = aStack('UPDATE_COMPLETE');
    return account;
  };

  it('setup finds the table of an earlier stack, and adopts it before the deployment', async () => {
    const account = stageWith([OWN]);

    await account.setUp({ upstreamKey: 'up' });

    const did = account.did.filter((what) => /table|adopt|protect|deploy/i.test(what));
    expect(did).toEqual([
      ...[`protect ${OWN}`, `adopt ${OWN} beside undefined`, 'deploy a new stack', 'deploy'],
    ]);
    expect(account.settings?.tableName).toBe(OWN);
  });

  it('a restored table replaces the table in use', async () => {
    const account = stageWith([OWN, RESTORED], OWN);
    const { table } = await account.plan({ upstreamKey: 'up', table: RESTORED });
    await account.setUp({ upstreamKey: 'up', table: RESTORED });
    account.tables = { all: [OWN, RESTORED], inUse: used(RESTORED) };
    account.did.length = 0;

    await account.setUp({});

    expect(table).toEqual({
      ...{ existing: RESTORED, isAdopted: true, replaced: { name: OWN, isKept: true } },
    });
    expect(account.did).toEqual(['settings', `protect ${RESTORED}`, 'deploy', 'canary']);
    expect(account.settings?.tableName).toBe(RESTORED);
  });

  it('the table in use remains in use even if the settings that named it are lost', async () => {
    const { table, stage } = await stageWith([OWN, RESTORED], RESTORED).plan({ upstreamKey: 'up' });

    expect(table).toEqual({ existing: RESTORED, isAdopted: false, replaced: undefined });
    expect(stage.tableName).toBe(RESTORED);
  });

  it("the stack's own table stays in use beside restored tables", async () => {
    const account = stageWith([OWN, RESTORED], OWN);

    for (const table of [undefined, OWN, 'new']) {
      const plan = await account.plan({ upstreamKey: 'up', table });
      expect(plan.table).toEqual({ existing: undefined, isAdopted: false, replaced: undefined });
      expect(plan.settings.kept).not.toHaveProperty('tableName');
    }
  });

  it('setup rejects a table that lacks local indexes, because only a new table can have them', async () => {
    const account = stageWith([OWN], OWN);
    account.tables = {
      all: [OWN],
      inUse: { ...used(OWN), lacking: ['an index wakes by pk, wakes'] },
    };

    await expect(account.plan({ upstreamKey: 'up' })).rejects.toThrow(
      'lacks an index wakes by pk, wakes, which cannot be added to an existing table',
    );
    expect(account.did).toEqual([]);
  });

  it('setup creates a new empty table on request', async () => {
    const plan = await stageWith([OWN]).plan({ upstreamKey: 'up', table: 'new' });
    const beside = await stageWith([OWN, RESTORED], RESTORED).plan({
      ...{ upstreamKey: 'up', table: 'new' },
    });

    expect(plan.table).toEqual({ existing: undefined, isAdopted: false, replaced: undefined });
    expect(beside.table.replaced).toEqual({ name: RESTORED, isKept: true });
  });

  it('the plan lists a replaced table as deleted if the template does not retain it', async () => {
    const account = stageWith([OWN, RESTORED], OWN);
    account.tables = {
      all: [OWN, RESTORED],
      inUse: { name: OWN, isOwn: true, isRetained: false, lacking: [] },
    };

    const { table } = await account.plan({ upstreamKey: 'up', table: RESTORED });

    expect(table.replaced).toEqual({ name: OWN, isKept: false });
  });

  it.each([
    [
      'an earlier stack left several',
      undefined,
      'choose one with --table: floorwatch-prod-WatchTable1, floorw',
    ],
    [
      'no table has the given name',
      'floorwatch-prod-Lost',
      'the stage has no table floorwatch-prod-Lost',
    ],
  ])('setup requires an existing table as --table if %s', async (_what, table, advice) => {
    const account = stageWith([OWN, RESTORED]);

    await expect(account.plan({ upstreamKey: 'up', table })).rejects.toThrow(advice);
  });

  it('setup rejects a table of another stage', async () => {
    const account = stageWith(['floorwatch-dev-WatchTable1']);
    const table = 'floorwatch-dev-WatchTable1';

    await expect(account.plan({ upstreamKey: 'up', table })).rejects.toThrow(
      'expected a table of this stage, floorwatch-<stage>-…',
    );
  });
});

describe('a first deployment of a stage that retains its data', () => {
  const answers = { upstreamKey: 'up' };

  it.each([1, 3])(
    'a deployment succeeds after %d failures, and then protects the stack and its table',
    async (failures) => {
      const account = anAccount();
      account.cloud.fails = 'a limit of the account is reached';
      for (let attempt = 0; attempt < failures; attempt += 1) {
        await expect(account.setUp(answers)).rejects.toThrow('a limit of the account is reached');
        expect(account.cloud.stack).toMatchObject({
          ...{ isProtected: false, status: 'ROLLBACK_COMPLETE' },
        });
        expect(account.cloud.tables.size).toBe(0);
      }
      account.cloud.fails = undefined;

      const { tableName } = await account.setUp(answers);

      expect(account.cloud.stack).toMatchObject({ isProtected: true, status: 'UPDATE_COMPLETE' });
      expect([...account.cloud.tables]).toEqual([[tableName, { isProtected: true }]]);
    },
  );

  it('after a failed deployment the plan creates a new stack, and names the failed stack that it deletes', async () => {
    const account = anAccount();
    account.cloud.fails = 'no';
    await expect(account.setUp(answers)).rejects.toThrow('no');

    const { stack, failedStack, creates } = await account.plan(answers);

    expect({ stack, creates }).toEqual({ stack: 'is made', creates: 'stack' });
    expect(failedStack).toMatchObject({ status: 'ROLLBACK_COMPLETE' });
  });

  it('setup repairs a failed stack that an earlier release protected, and keeps its table', async () => {
    const account = anAccount();
    const { template } = synthesized(findStage('prod'), undefined);
    account.cloud.stack = { ...aStack('ROLLBACK_COMPLETE'), template };
    account.cloud.tables.set('floorwatch-prod-WatchTable-0', { isProtected: true });

    const { tableName } = await account.setUp(answers);

    expect(tableName).toBe('floorwatch-prod-WatchTable-0');
    expect(account.cloud.stack).toMatchObject({ isProtected: true });
    expect(account.did).toContain('unprotect the stack');
  });

  it('a new table of an existing stack is protected only after the deployment that creates it', async () => {
    const account = anAccount();
    await account.setUp(answers);
    const [before = ''] = account.cloud.tables.keys();
    account.settings = { ...account.settings, tableName: before };
    account.cloud.deploy(synthesized(findStage('prod', account.settings), undefined));
    const inUse = { name: before, isOwn: false, isRetained: true, lacking: [] };
    account.tables = { all: [before], inUse };
    account.cloud.fails = 'no';
    const another = { table: 'new' };

    await expect(account.setUp(another)).rejects.toThrow('no');

    expect([...account.cloud.tables.keys()]).toEqual([before]);
    expect(account.cloud.stack).toMatchObject({ isProtected: true });
    account.cloud.fails = undefined;
    await account.setUp(another);
    expect([...account.cloud.tables.values()]).toEqual([
      { isProtected: true },
      { isProtected: true },
    ]);
  });
});

it('the stack and its table stay protected when an update fails', async () => {
  const account = anAccount();
  await account.setUp({ upstreamKey: 'up' });
  account.cloud.fails = 'no';

  await expect(account.setUp({})).rejects.toThrow('no');

  expect(account.cloud.stack).toMatchObject({
    isProtected: true,
    status: 'UPDATE_ROLLBACK_COMPLETE',
  });
  expect([...account.cloud.tables.values()]).toEqual([{ isProtected: true }]);
});

it('setup turns deletion protection of the table on again after somebody turned it off by hand', async () => {
  const account = anAccount();
  const { tableName } = await account.setUp({ upstreamKey: 'up' });
  account.cloud.tables.set(tableName, { isProtected: false });

  await account.setUp({});

  expect(account.cloud.tables.get(tableName)).toEqual({ isProtected: true });
});

describe('the plan', () => {
  it('the plan describes each change without secrets', async () => {
    const account = anAccount();
    account.secrets.set(KEY_OF, 'the old key');
    account.bootstrapVersion = 5;
    account.cloud.stack = aStack('UPDATE_COMPLETE');

    const plan = await account.plan({ upstreamKey: 'the new key' });

    expect(plan).toMatchObject({
      settings: { fate: 'is made' },
      secrets: [
        { kind: 'upstream key', fate: 'is changed' },
        { kind: 'channel key', fate: 'is made' },
        { kind: 'channel public key', fate: 'is made' },
        { kind: 'push key', fate: 'is made' },
        { kind: 'push public key', fate: 'is made' },
        { kind: 'link key', fate: 'is made' },
      ],
      ...{ bootstrap: 'is changed', stack: 'is changed' },
    });
    expect(JSON.stringify(plan)).not.toMatch(/the (old|new) key/);
  });

  it('a change of the provider requires a new key, and drops the URL and limits of the previous provider', async () => {
    const account = anAccount();
    await account.setUp({ upstreamKey: 'up', upstreamBudgetPerDay: 7 });
    const other = { upstreamProvider: 'opensea' } as const;

    const { settings, secrets, stage } = await account.plan({ ...other, upstreamKey: 'sea' });

    await expect(account.plan(other)).rejects.toThrow('/floorwatch/prod/opensea-key');
    expect(settings.kept).toMatchObject(other);
    expect(settings.kept).not.toHaveProperty('upstreamBudgetPerDay');
    expect(stage.upstreamUrl).toBe('https://api.opensea.io');
    expect(secrets[0]).toMatchObject({ parameter: '/floorwatch/prod/opensea-key' });
  });

  it('a second provider requires a key, and its settings are kept until it is removed', async () => {
    const account = anAccount();
    const second = { secondProvider: 'coingecko', secondKey: 'gecko' } as const;
    await account.setUp({ upstreamKey: 'up', ...second });

    const kept = await account.plan({});
    const without = await account.plan({ secondProvider: 'none' });

    await expect(
      anAccount().plan({ upstreamKey: 'up', secondProvider: 'coingecko' }),
    ).rejects.toThrow(
      'the parameter /floorwatch/prod/coingecko-key (second key) does not exist: give its value with --second-key-from',
    );
    expect(account.secrets.get('/floorwatch/prod/coingecko-key')).toBe('gecko');
    expect(kept.settings.kept.otherProviders).toEqual([{ provider: 'coingecko' }]);
    expect(kept.secrets[1]).toMatchObject({ kind: 'second key', fate: 'stays' });
    expect(without.settings.kept.otherProviders).toEqual([]);
  });

  it('setup creates a key at OpenSea, and stores its expiry until another key is given', async () => {
    const account = anAccount();
    const opensea = { upstreamProvider: 'opensea' } as const;
    const plan = await account.plan({ ...opensea, instantKey: true });

    await account.setUp({ ...opensea, instantKey: true });
    const kept = await account.plan({});
    await account.setUp({ instantKey: true });
    const permanent = await account.plan({ upstreamKey: 'sea' });

    expect(account.did.filter((what) => /^key of|opensea-key/.test(what))).toEqual([
      ...['key of https://api.opensea.io', '/floorwatch/prod/opensea-key'],
      ...['key of https://api.opensea.io', '/floorwatch/prod/opensea-key'],
    ]);
    expect(plan.secrets[0]).toMatchObject({ kind: 'one-week API key', fate: 'is made' });
    expect(account.secrets.get('/floorwatch/prod/opensea-key')).toBe('made for a week');
    expect(kept.stage.upstreamKeyEndsAt).toBe(formatInstant(NOON + 7 * DAY));
    expect(kept.secrets[0]).toMatchObject({ kind: 'upstream key', fate: 'stays' });
    expect(permanent.settings.kept).not.toHaveProperty('upstreamKeyEndsAt');
  });

  it('the error about a provider without instant keys names the provider that offers them', async () => {
    await expect(anAccount().plan({ instantKey: true })).rejects.toThrow(
      'only opensea creates keys without an account, not nft-data. Give --provider opensea',
    );
  });

  it('setup does not overwrite a secret with the same value', async () => {
    const account = anAccount();
    account.secrets.set(KEY_OF, 'up');

    const { secrets } = await account.plan({ upstreamKey: 'up' });

    expect(secrets[0]).toMatchObject({ kind: 'upstream key', fate: 'stays' });
  });

  it('setup rejects an account or region other than that of the stage', async () => {
    const account = anAccount();
    await account.setUp({ upstreamKey: 'up' });

    await expect(account.plan({}, { ...HERE, region: 'us-east-1' })).rejects.toThrow(
      'the stage prod is in eu-west-1 of account 123456789012, but this command uses us-east-1',
    );
    await expect(account.plan({}, { ...HERE, account: '210987654321' })).rejects.toThrow(
      'uses eu-west-1 of account 210987654321',
    );
  });

  it.each([
    ['there is no key of the upstream', {}, undefined, '--upstream-key-from'],
    ['a deployment is under way', { upstreamKey: 'up' }, 'UPDATE_IN_PROGRESS', 'wait until'],
  ])('setup explains what to do if %s', async (_what, answers, status, advice) => {
    const account = anAccount();
    if (status !== undefined) account.cloud.stack = aStack(status);

    await expect(account.plan(answers)).rejects.toThrow(advice);
  });
});

it('setup requires the bootstrap version that the synthesized template requires', () => {
  const fast = { builtinCloudFormationValidation: false, treeMetadata: false };
  const assembly = createFloorwatchApp({ ...fast, context: withoutBundling }).synth();

  const { requiresBootstrapStackVersion } = assembly.getStackByName('floorwatch-dev');
  expect(requiresBootstrapStackVersion).toBe(BOOTSTRAP_VERSION);
});
