import { describe, expect, it } from 'vitest';
import type { CloudResource } from '#infra/operate/account/cloud-stacks.ts';
import {
  type DestroyPorts,
  destroyStage,
  expectAgreed,
  findStageParts,
} from '#infra/operate/destroy/destroy-stage.ts';
import { findStage, type Stage } from '#infra/stack/stages.ts';

class Killed extends Error {}

const TOPICS = 'arn:aws:sns:eu-west-1:123456789012:';
const TABLE: CloudResource = { type: 'AWS::DynamoDB::Table', id: 'floorwatch-prod-WatchTable' };
const others = {
  topics: [`${TOPICS}floorwatch-prod2-list`, `${TOPICS}alerts-of-floorwatch-prod`],
  secrets: ['/floorwatch/prod2/channel-key', '/cdk-bootstrap/hnb659fds/version'],
};

/** An account with one stage, and with resources that do not belong to it. */
function anAccount(stage: Stage) {
  const at = (name: string) => `/floorwatch/${stage.name}/${name}`;
  const ofStage = { topics: [`${TOPICS}floorwatch-${stage.name}-list`] };
  const account = {
    stackStatus: 'UPDATE_COMPLETE',
    isProtected: stage.retainsData,
    /** Whether the stage uses a restored table. */
    isPointed: stage.tableName !== undefined,
    tables: stage.tableName === undefined ? [] : [stage.tableName],
    topics: new Set([...ofStage.topics, ...others.topics]),
    secrets: new Set([at('upstream-key'), at('channel-key'), at('push-key'), ...others.secrets]),
    hasSettings: true,
    evaluations: 0,
    did: [] as string[],
    killAfter: undefined as number | undefined,
  };
  const done = (what: string) => {
    account.did.push(what);
    if (account.did.length === account.killAfter) throw new Killed(what);
  };
  const isGone = () => account.stackStatus === 'DELETE_COMPLETE';
  const ports: DestroyPorts = {
    stacks: {
      find: async (nameOrId) => {
        if (isGone() && nameOrId !== 'its id') return undefined;
        // A deletion is complete only after several status checks.
        if (account.stackStatus === 'DELETE_IN_PROGRESS') {
          account.evaluations += 1;
          if (account.evaluations > 2) account.stackStatus = 'DELETE_COMPLETE';
        }
        const { stackStatus: status, isProtected } = account;
        const stack = { id: 'its id', status, reason: 'the bucket is not empty', isProtected };
        return { ...stack, outputs: new Map() };
      },
      table: async () =>
        isGone()
          ? undefined
          : { name: TABLE.id, isOwn: true, isRetained: stage.retainsData || account.isPointed },
      unprotect: async () => {
        account.isProtected = false;
        done('unprotect');
      },
      delete: async () => {
        if (account.isProtected) throw new Error('TerminationProtection is enabled');
        if (account.stackStatus !== 'DELETE_FAILED') account.stackStatus = 'DELETE_IN_PROGRESS';
        done('delete the stack');
      },
      leftBy: async () => (stage.retainsData ? [TABLE] : []),
    },
    topics: {
      named: async (prefix) =>
        [...account.topics].filter((arn) => arn.startsWith(`${TOPICS}${prefix}`)),
      delete: async (arn) => {
        account.topics.delete(arn);
        done(arn);
      },
    },
    secrets: {
      get: async () => undefined,
      make: async () => false,
      put: async () => {},
      below: async (path) => [...account.secrets].filter((name) => name.startsWith(`${path}/`)),
      delete: async (name) => {
        account.secrets.delete(name);
        done(name);
      },
    },
    tables: {
      named: async () => (stage.retainsData ? [TABLE.id, ...account.tables] : account.tables),
    },
    hasSettings: () => account.hasSettings,
    removeSettings: () => {
      account.hasSettings = false;
      done('settings');
    },
    wait: async () => {},
    report: () => {},
  };
  return Object.assign(account, {
    destroy: async (leaveData = false) => {
      const remains = await findStageParts(ports, stage);
      expectAgreed(remains, stage, leaveData);
      return await destroyStage(ports, stage, remains);
    },
    left: () => ({
      stack: isGone() ? 'none' : account.stackStatus,
      topics: [...account.topics],
      secrets: [...account.secrets],
      hasSettings: account.hasSettings,
    }),
  });
}

describe('destroying a stage', () => {
  it('destroying a stage deletes all resources of the stage, and no others', async () => {
    const account = anAccount(findStage('dev'));

    const left = await account.destroy();

    expect(left).toEqual({ resources: [], secrets: [] });
    expect(account.left()).toEqual({ stack: 'none', ...others, hasSettings: false });
  });

  it('destroying a stage that retains its data requires --leave-data', async () => {
    const account = anAccount(findStage('prod'));

    await expect(account.destroy()).rejects.toThrow('the stage prod retains its data');
    expect(account.did).toEqual([]);
    const left = await account.destroy(true);

    const secrets = ['/floorwatch/prod/channel-key', '/floorwatch/prod/push-key'];
    expect(left).toEqual({ resources: [TABLE], secrets });
    expect(account.left()).toEqual({
      ...{ stack: 'none', topics: others.topics, hasSettings: true },
      secrets: [...secrets, ...others.secrets],
    });
  });

  it('destroying a stage keeps a restored table, which no stack created, even if the stage retains no data', async () => {
    const account = anAccount(findStage('dev', { tableName: 'floorwatch-dev-Restored-1' }));

    await expect(account.destroy()).rejects.toThrow('the stage dev retains its data');
    const left = await account.destroy(true);

    expect(left).toEqual({
      resources: [{ type: 'AWS::DynamoDB::Table', id: 'floorwatch-dev-Restored-1' }],
      secrets: ['/floorwatch/dev/channel-key', '/floorwatch/dev/push-key'],
    });
    expect(account.hasSettings).toBe(true);
  });

  it('destroying a stage that retains no data rejects --leave-data', async () => {
    const account = anAccount(findStage('dev'));

    await expect(account.destroy(true)).rejects.toThrow('the stage dev retains no data');
    expect(account.did).toEqual([]);
  });

  it.each(['dev', 'prod'])(
    'destroying the stage %s again completes a deletion that was interrupted at any step',
    async (name) => {
      const stage = findStage(name);
      const undisturbed = anAccount(stage);
      await undisturbed.destroy(stage.retainsData);

      for (const killAfter of undisturbed.did.keys().map((index) => index + 1)) {
        const account = anAccount(stage);
        account.killAfter = killAfter;
        await expect(account.destroy(stage.retainsData)).rejects.toThrow(Killed);
        account.killAfter = undefined;

        await account.destroy(stage.retainsData);

        expect(account.left()).toEqual(undisturbed.left());
      }
    },
  );

  it('if the stack cannot be deleted, the reason is reported and nothing else is deleted', async () => {
    const account = anAccount(findStage('dev'));
    account.stackStatus = 'DELETE_FAILED';

    await expect(account.destroy()).rejects.toThrow('cannot be deleted: the bucket is not empty');

    expect(account.did).toEqual(['delete the stack']);
  });
});
