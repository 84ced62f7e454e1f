import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { tableRuntime } from '#shared/runtime/table-runtime.ts';
import { createApiKeyStore } from '#shared/stores/api-key-store.ts';
import { createDynamoTable } from '#shared/stores/dynamo-table.ts';
import { NOON } from '#test/support/builders.ts';
import { aStackTable, awsAt, DEPLOYED_TABLE } from '#test/support/stack-table.ts';

const DAY = 86_400_000;
const reported = (instant: number) => new Date(instant).toISOString();

describe('npm run keys', () => {
  it('makes, lists, rotates and revokes keys of the stack that npm start runs', async () => {
    const { url, client } = await aStackTable();
    const store = createApiKeyStore(createDynamoTable(client, DEPLOYED_TABLE, tableRuntime));
    const keys = async (...args: readonly string[]) => {
      const { exit, out, error } = await runKeys([...args, '--local', url, '--json']);
      expect({ exit, error }).toEqual({ exit: 0, error: '' });
      return out.map((line) => JSON.parse(line));
    };

    const [made] = await keys(
      ...['create', '--tenant', 'acme', '--name', 'the script', '--scopes', 'read'],
      ...['--expires', '90d'],
    );
    const [next, old] = await keys('rotate', made.id, '--overlap', '1h');
    const [revoked] = await keys('revoke', next.id);
    const listed = await keys('list', '--tenant', 'acme');
    const others = await keys('list', '--tenant', 'other');

    expect(made).toEqual({
      ...{ event: 'created', key: expect.stringMatching(/^fw_/), id: made.id },
      ...{ tenant: 'acme', name: 'the script', scopes: ['read'], state: 'live' },
      ...{ createdAt: reported(NOON), endsAt: reported(NOON + 90 * DAY) },
    });
    expect(await store.find(made.key)).toMatchObject({ tenant: 'acme', scopes: ['read'] });
    expect(next).toMatchObject({ event: 'created', name: 'the script', endsAt: made.endsAt });
    expect(old).toMatchObject({ event: 'ends', id: made.id, endsAt: reported(NOON + 3_600_000) });
    expect(revoked).toMatchObject({ event: 'revoked', id: next.id, state: 'revoked' });
    expect(listed).toHaveLength(2);
    expect(listed).toEqual(
      expect.arrayContaining([
        { ...old, event: 'key' },
        { ...revoked, event: 'key' },
      ]),
    );
    expect(JSON.stringify(listed)).not.toContain('fw_');
    expect(others).toEqual([]);
  });

  it('shows people a key once, with its id, and what becomes of it', async () => {
    const { url } = await aStackTable();
    const { out: none } = await runKeys(['list', '--local', url]);
    const made = await runKeys(['create', '--tenant', 'acme', '--local', url]);
    const [first = '', , key = ''] = made.out;
    const [id = ''] = first.split(' ');

    const { out: listed } = await runKeys(['list', '--local', url]);
    const { out: revoked } = await runKeys(['revoke', id, '--local', url]);

    expect(none).toEqual(['There are no keys.']);
    expect(first).toBe(`${id}  acme  read,write  without an end  a key`);
    expect(key).toMatch(/^ {2}fw_[\w-]{49}$/);
    expect(listed).toEqual([first]);
    expect(revoked).toEqual([
      `${id}  acme  read,write  revoked ${reported(NOON)}  a key: rejected within a minute`,
    ]);
  });

  it('finds the table of a deployed stage', async () => {
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
  ])('says what cannot be done: $args', async ({ args, issue }) => {
    const { url, endpoint } = await aStackTable();
    const where = args.includes('--stage') ? [] : ['--local', url];

    const end = await runKeys([...args, ...where], awsAt(endpoint));

    expect(end).toMatchObject({ exit: 2, out: [], error: expect.stringContaining(issue) });
    expect(end.error.split('\n')).toHaveLength(2);
  });

  it('reports how it is used', async () => {
    const { exit, out } = await runKeys(['--help']);

    expect(exit).toBe(0);
    expect(out[0]).toBe('Usage: npm run keys -- [options] [command]');
  });
});

async function runKeys(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, ['infra/operate/keys/keys.ts', ...args], { env });
  const [out, error, exit] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once('exit', resolve)),
  ]);
  return { out: out.split('\n').slice(0, -1), error, exit };
}
