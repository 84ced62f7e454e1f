import { describe, expect, it } from 'vitest';
import { omit } from '#shared/domain/omit.ts';
import { tableRuntime } from '#shared/runtime/table-runtime.ts';
import { createApiKeyStore } from '#shared/stores/api-key-store.ts';
import { createDynamoTable } from '#shared/stores/dynamo-table.ts';
import { NOON } from '#test/support/builders.ts';
import { operate } from '#test/support/operate.ts';
import { aStackTable, awsAt, DEPLOYED_TABLE } from '#test/support/stack-table.ts';

const DAY = 86_400_000;
const reported = (instant: number) => new Date(instant).toISOString();

describe('npm run operate -- keys', () => {
  it('npm run operate -- keys creates, lists, rotates and revokes keys of the stack of npm start', async () => {
    const { url, client } = await aStackTable();
    const store = createApiKeyStore(createDynamoTable(client, DEPLOYED_TABLE, tableRuntime));
    const keys = async (...args: readonly string[]) => {
      const { exit, out, error } = await runKeys([...args, '--url', url, '--json']);
      expect({ exit, error }).toEqual({ exit: 0, error: '' });
      return out.map((line) => JSON.parse(line));
    };

    const [made] = await keys(
      ...['create', '--tenant', 'acme', '--name', 'the script', '--scopes', 'read'],
      ...['--expires', '90d'],
    );
    const [successor, old] = await keys('rotate', made.id, '--overlap', '1h');
    const [revoked] = await keys('revoke', successor.id);
    const [{ keys: listed }] = await keys('list', '--tenant', 'acme');
    const [others] = await keys('list', '--tenant', 'other');

    expect(made).toEqual({
      ...{ event: 'created', key: expect.stringMatching(/^fw_/), id: made.id },
      ...{ tenant: 'acme', name: 'the script', scopes: ['read'], state: 'live' },
      ...{ createdAt: reported(NOON), endsAt: reported(NOON + 90 * DAY) },
    });
    expect(await store.find(made.key)).toMatchObject({ tenant: 'acme', scopes: ['read'] });
    expect(successor).toMatchObject({ event: 'created', name: 'the script', endsAt: made.endsAt });
    expect(old).toMatchObject({ event: 'ends', id: made.id, endsAt: reported(NOON + 3_600_000) });
    expect(revoked).toMatchObject({ event: 'revoked', id: successor.id, state: 'revoked' });
    expect(listed).toHaveLength(2);
    const ended = omit(old, 'event');
    const next = omit(revoked, 'event');
    expect(listed).toEqual(expect.arrayContaining([ended, next]));
    expect(JSON.stringify(listed)).not.toContain('fw_');
    expect(others).toEqual({ event: 'keys', keys: [] });
  });

  it('npm run operate -- keys shows a key once, with its id, and the effect of each command', async () => {
    const { url } = await aStackTable();
    const { out: none } = await runKeys(['list', '--url', url]);
    const made = await runKeys(['create', '--tenant', 'acme', '--url', url]);
    const [first = '', , key = ''] = made.out;
    const [id = ''] = first.split(' ');

    const { out: listed } = await runKeys(['list', '--url', url]);
    const { out: revoked } = await runKeys(['revoke', id, '--url', url]);

    expect(none).toEqual(['There are no keys.']);
    expect(first).toBe(`${id}  acme  read,write  does not expire  a key`);
    expect(key).toMatch(/^ {2}fw_[\w-]{49}$/);
    expect(listed).toEqual([first]);
    expect(revoked).toEqual([
      `${id}  acme  read,write  revoked ${reported(NOON)}  a key: works for at most 30 more seconds`,
    ]);
  });

  it('npm run operate -- keys finds the table of a deployed stage', async () => {
    const { endpoint } = await aStackTable();

    const args = ['create', '--tenant', 'acme', '--stage', 'dev', '--json'];
    const { exit, out } = await runKeys(args, awsAt(endpoint));

    expect(exit).toBe(0);
    expect(out.map((line) => JSON.parse(line))).toMatchObject([{ event: 'created' }]);
  });

  it.each([
    { args: ['create'], issue: 'give --tenant' },
    { args: ['revoke', '0123456789'], issue: 'there is no key 0123456789' },
    { args: ['list', '--stage', 'prod'], issue: 'the stack floorwatch-prod has no table' },
  ])('npm run operate -- keys reports a mistake in $args', async ({ args, issue }) => {
    const { url, endpoint } = await aStackTable();
    const where = args.includes('--stage') ? [] : ['--url', url];

    const end = await runKeys([...args, ...where], awsAt(endpoint));

    expect(end).toMatchObject({ exit: 2, out: [], error: expect.stringContaining(issue) });
    expect(end.error.split('\n')).toHaveLength(2);
  });
});

async function runKeys(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { lines, error, exit } = await operate(['keys', ...args], env);
  return { out: lines, error, exit };
}
