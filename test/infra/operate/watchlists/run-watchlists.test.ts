import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { createPrinter, createReport } from '#infra/command-line/printer.ts';
import { createInterface, type Interface } from '#infra/operate/interface.ts';
import { runWatchlists, verb } from '#infra/operate/watchlists/watchlists.ts';
import { APES, PUNKS } from '#test/support/builders.ts';
import { startHttpServer } from '#test/support/http-server.ts';
import { KEYS, startWatchlists } from './interface-double.ts';

const SLACK = 'https://hooks.slack.com/services/T000/B000/first';
const OTHER_SLACK = 'https://hooks.slack.com/services/T000/B000/other';
const SIGNING = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
const SECRETS = { DESK_URL: SLACK, SIGNING };

const CHANNELS = `# who is notified
channels:
  - id: desk
    kind: slack
    url: \${DESK_URL}
  - id: pager
    kind: email
    to: pager@example.com
`;
const PUNKS_LIST = `name: Punks
contracts:
  - ${PUNKS}
rules:
  - id: floor-60
    metric: floor_price
    when: below
    threshold: "60"
    notify: [desk]
channels:
  - desk
  - id: hook
    kind: webhook
    url: https://hooks.example.com/alerts
    secrets: ["\${SIGNING}"]
`;
const FILES = { 'channels.yaml': CHANNELS, 'watchlists/punks.yaml': PUNKS_LIST };

let stack: Awaited<ReturnType<typeof startWatchlists>>;
let folder: string;

beforeEach(async () => {
  stack = await startWatchlists();
  folder = await mkdtemp(join(tmpdir(), 'watchlists-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
  await stack[Symbol.asyncDispose]();
});

const http = (key = KEYS.owner, url = stack.url) =>
  createInterface({ url, key, wait: async () => undefined });

/** Runs a command line, split as in a shell. */
async function run(
  line: string,
  { as = http(), variables = SECRETS }: { as?: Interface; variables?: object } = {},
) {
  let [out, error] = ['', ''];
  const printer = createPrinter({
    write: (text) => {
      out += text.replaceAll(`${folder}/`, '');
    },
    writeError: (text) => {
      error += text.replaceAll(`${folder}/`, '');
    },
    isTerminal: false,
  });
  const [command = '', ...more] = line.split(' ');
  const options = verb.read([command, folder, ...more]);
  if (options === undefined) throw new Error('no options');
  const report = createReport(printer, options.json, verb.inWords);
  const end = await runWatchlists(as, options, { ...variables }, report);
  return { end, out, error };
}

async function write(files: Readonly<Record<string, string>>) {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
}

/** Requests a document of the tenant by its path. */
async function ask(method: string, path: string, body?: object, headers: object = {}) {
  const response = await fetch(new URL(path, stack.url), {
    method,
    headers: { 'X-API-Key': KEYS.owner, 'Content-Type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return text === '' ? undefined : JSON.parse(text);
}

const document = (id: string) => ask('GET', `/v1/watchlists/${id}/export`);
const ANY = { 'If-Match': '*' };
const changes = async () => (await ask('GET', '/v1/changes')).changes.length;

describe('apply', () => {
  it('apply creates lists from files once: a second apply and a diff find no changes', async () => {
    await write(FILES);

    const before = await run('diff');
    const made = await run('apply');
    const logged = await changes();
    const again = await run('apply');
    const after = await run('diff');

    expect([before, made, again, after].map(({ end }) => end)).toEqual([
      ...['found', 'done', 'done', 'done'],
    ]);
    expect(before.out).toContain('watchlist punks (watchlists/punks.yaml) would be created:');
    expect(before.out).toContain('added channel desk\n  added channel hook');
    expect(await document('punks')).toMatchObject({
      name: 'Punks',
      channels: ['desk', { id: 'hook', secrets: [expect.stringMatching(/^kept:/)] }],
    });
    expect(again.out).toBe('0 created or changed, 3 unchanged\n');
    expect(await changes()).toBe(logged);
    expect(after.out).toBe('0 to create or change, 3 unchanged\n');
  });

  it('apply prints the differences as the API describes them, without secrets', async () => {
    await write(FILES);
    await run('apply');
    await write({ 'watchlists/punks.yaml': PUNKS_LIST.replace('"60"', '"55"') });
    const variables = { ...SECRETS, DESK_URL: OTHER_SLACK };

    const differing = await run('diff', { variables });
    const applied = await run('apply', { variables });

    expect(differing.out).toBe(`contact point desk (channels.yaml) would be changed:
  changed channel desk
    url a secret → another secret
watchlist punks (watchlists/punks.yaml) would be changed:
  changed rule floor-60
    threshold 60 → 55
  closes the open episodes of floor-60
2 to create or change, 1 unchanged
`);
    expect([differing.end, applied.end]).toEqual(['found', 'done']);
    expect((await document('punks')).rules).toMatchObject([{ threshold: '55' }]);
    expect(`${differing.out}${applied.out}`).not.toMatch(/hooks\.slack|whsec/);
  });

  it('apply deletes rules, lists and contact points missing from the files, but only with --delete', async () => {
    await write(FILES);
    await run('apply');
    await ask('PUT', '/v1/watchlists/own', { name: 'By hand' });
    await ask('POST', '/v1/channels', { id: 'spare', kind: 'email', to: 'spare@example.com' });
    await ask('POST', '/v1/watchlists/punks/rules', {
      ...{ id: 'by-hand', metric: 'floor_price', when: 'above', threshold: '90' },
    });

    const differing = await run('diff');
    const held = await run('apply');
    const heldDocument = await document('punks');
    const parts = await run('apply --delete parts');
    const left = await run('diff');
    const differingWhole = await run('diff --delete all');
    const all = await run('apply --delete all');

    expect(differing.end).toBe('found');
    expect(differing.out).toContain('removed rule by-hand');
    expect(differing.out).toContain('watchlist own is not in the directory, and is kept');
    expect(held.end).toBe('failed');
    expect(held.out).toContain(
      'was not changed, because it has parts that are missing from the file',
    );
    expect(heldDocument.rules).toHaveLength(2);
    expect(parts.end).toBe('done');
    expect((await document('punks'))?.rules).toHaveLength(1);
    expect([left.end, differingWhole.end, all.end]).toEqual(['done', 'found', 'done']);
    expect(all.out).toContain('watchlist own is not in the directory, and was deleted');
    expect(all.out).toContain('contact point spare is not in the directory, and was deleted');
    expect((await ask('GET', '/v1/watchlists')).watchlists).toMatchObject([{ id: 'punks' }]);
    expect((await ask('GET', '/v1/channels')).channels).toHaveLength(2);
  });

  it('apply fails if it could not delete a contact point because a list still uses it', async () => {
    await write(FILES);
    await run('apply');
    await write({ 'channels.yaml': 'channels: []\n' });

    const { end, out } = await run('apply --delete all');

    expect(end).toBe('failed');
    expect(out).toContain('contact point desk is not in the directory, and was not deleted');
    expect((await ask('GET', '/v1/channels')).channels).toMatchObject([{ id: 'desk' }]);
  });

  it('apply never deletes a list that this version cannot read', async () => {
    await write(FILES);
    await run('apply');
    await ask('PUT', '/v1/watchlists/own', { name: 'By hand' });
    const { table } = stack;
    const item = table.items().find(({ sk }) => sk === 'LIST#own');
    await table.put({ pk: '', sk: '', ...item, rules: 'of another version' });

    const differing = await run('diff --delete all');
    const applied = await run('apply --delete all');

    const isLeft =
      'watchlist own is not in the directory, and is kept: this version of the stack cannot read it';
    expect([differing.end, applied.end]).toEqual(['done', 'done']);
    for (const { out } of [differing, applied]) expect(out).toContain(isLeft);
    expect(table.items()).toContainEqual({ ...item, rules: 'of another version' });
  });

  it('apply changes no lists without a `watchlists` folder, and no contact points without `channels.yaml`', async () => {
    await ask('POST', '/v1/channels', { id: 'desk', kind: 'email', to: 'desk@example.com' });
    await write({ 'watchlists/punks.json': '{"name": "Punks", "channels": ["desk"]}' });

    const applied = await run('apply --delete all');

    expect(applied).toMatchObject({ end: 'done', error: '' });
    expect((await ask('GET', '/v1/channels')).channels).toMatchObject([{ id: 'desk' }]);
  });

  it('apply does not overwrite a concurrent change of a list, and continues with other lists', async () => {
    await write({ ...FILES, 'watchlists/azuki.yaml': 'name: Azuki\n' });
    await run('apply');
    await write({
      'channels.yaml': CHANNELS.replace('pager@', 'new@'),
      'watchlists/azuki.yaml': 'name: Azuki, closely\n',
      'watchlists/punks.yaml': PUNKS_LIST.replace('name: Punks', 'name: Our punks'),
    });
    const theirs = async () => {
      const list = await document('punks');
      await ask('PUT', '/v1/watchlists/punks', { ...list, name: 'Their punks' }, ANY);
      const pager = { kind: 'email', to: 'theirs@example.com' };
      await ask('PUT', '/v1/channels/pager', pager, ANY);
    };

    const { end, out } = await run('apply', { as: afterThePlan(http(), theirs) });
    const again = await run('apply');

    expect(end).toBe('failed');
    expect(out).toContain(
      'watchlist punks (watchlists/punks.yaml) was not changed, because somebody else changed it',
    );
    expect(out).toContain(
      'contact point pager (channels.yaml) was not changed, because somebody else changed it',
    );
    expect(out).toContain('watchlist azuki (watchlists/azuki.yaml) was changed:');
    expect(again.end).toBe('done');
    expect(again.out).toContain('name Their punks → Our punks');
    expect((await document('azuki')).name).toBe('Azuki, closely');
  });

  it('apply changes nothing while a file is invalid, and reports file, line, member and expected value', async () => {
    await write({
      'channels.yaml': CHANNELS,
      'watchlists/apes.yaml': `name: Apes\ncontracts: [${APES}]\n`,
      'watchlists/azuki.yaml': `name: Azuki
rules:
  - metric: floor_price
    when: below
    threshold: 9.5
    treshold: "9"
channels: [dask]
`,
    });

    const differing = await run('diff');
    const { end, error } = await run('apply');

    expect([differing.end, end]).toEqual(['failed', 'failed']);
    expect(error).toContain('watchlists/azuki.yaml:5: /rules/0/threshold: ');
    expect(error).toContain(
      'watchlists/azuki.yaml:6: /rules/0/treshold: unknown member; did you mean "threshold"?',
    );
    expect(error).toContain('nothing was changed');
    expect((await ask('GET', '/v1/watchlists')).watchlists).toEqual([]);
    expect((await ask('GET', '/v1/channels')).channels).toEqual([]);
  });

  it('the error about an unknown contact point names the nearest one', async () => {
    await write(FILES);
    await run('apply');
    await write({ 'watchlists/punks.yaml': PUNKS_LIST.replaceAll('desk', 'dask') });

    const { error } = await run('diff');

    expect(error).toContain(
      'watchlists/punks.yaml:11: /channels/0: there is no contact point "dask"; did you mean "desk"?',
    );
  });
});

describe('export', () => {
  it('export writes files that apply accepts unchanged, with variables in place of secrets', async () => {
    await write(FILES);
    await run('apply');
    const exported = await mkdtemp(join(tmpdir(), 'exported-'));
    folder = join(exported, 'new');

    const { end, out } = await run('export');
    const texts = await Promise.all(
      ['channels.yaml', 'watchlists/punks.yaml'].map((name) =>
        readFile(join(folder, name), 'utf8'),
      ),
    );
    const kept = Object.fromEntries(
      [...out.matchAll(/(\w+)=(kept:\w+)/g)].map(([, name = '', value = '']) => [name, value]),
    );
    const logged = await changes();
    const applied = await run('apply', { variables: kept });
    const given = { FLOORWATCH_DESK_URL: SLACK, FLOORWATCH_PUNKS_HOOK_SECRETS_1: SIGNING };
    const withSecrets = await run('apply', { variables: given });

    expect(end).toBe('done');
    expect(await readdir(folder, { recursive: true })).toHaveLength(3);
    expect(texts.join('')).not.toMatch(/kept:|hooks\.slack|whsec/);
    expect(Object.keys(kept).toSorted()).toEqual(Object.keys(given).toSorted());
    expect([applied.end, withSecrets.end]).toEqual(['done', 'done']);
    expect(await changes()).toBe(logged);
    await expect(run('export')).rejects.toThrow('already exists: export');
    await rm(exported, { recursive: true });
  });

  it('export gives the secrets of two channels different variables even if their ids lead to the same name', async () => {
    const [own, shared] = ['own', 'shared'].map(
      (secret) => `https://hooks.slack.com/services/T0/B0/${secret}`,
    );
    await write({
      'channels.yaml': `channels: [{ id: apes-desk, kind: slack, url: "\${SHARED}" }]`,
      'watchlists/apes.yaml': `name: Apes
contracts: []
rules: []
channels: [apes-desk, { id: desk, kind: slack, url: "\${OWN}" }]
`,
    });
    const applied = await run('apply', { variables: { OWN: own, SHARED: shared } });
    folder = join(folder, 'exported');

    const { out } = await run('export');

    expect(applied.end).toBe('done');
    expect([...out.matchAll(/(\w+)=kept:/g)].map(([, name]) => name)).toEqual([
      'FLOORWATCH_APES_DESK_URL',
      'FLOORWATCH_APES_DESK_URL_2',
    ]);
    expect(await readFile(join(folder, 'watchlists', 'apes.yaml'), 'utf8')).toContain(
      `\${FLOORWATCH_APES_DESK_URL_2}`,
    );
  });

  it('export writes a list with an expired rule so that another tenant can apply it', async () => {
    await write({
      'watchlists/punks.yaml': `name: Punks
contracts: []
rules:
  - { id: low, metric: floor_price, when: below, threshold: "60", expiresAt: "2020-01-01T00:00:00Z" }
channels: []
`,
    });

    const { end, out } = await run('apply');

    expect(end).toBe('done');
    expect(out).toContain('The rule has expired. Set a later "expiresAt" to start it.');
  });

  it('export writes the lists of all pages', async () => {
    const ids = Array.from({ length: 51 }, (_, index) => `list-${String(index).padStart(2, '0')}`);
    for (const id of ids) await ask('PUT', `/v1/watchlists/${id}`, { name: 'By hand' });
    folder = join(folder, 'new');

    const { end } = await run('export');

    expect(end).toBe('done');
    const files = await readdir(join(folder, 'watchlists'));
    expect(files.toSorted()).toEqual(ids.map((id) => `${id}.yaml`));
  });

  it('export writes empty files for a tenant without lists', async () => {
    folder = join(folder, 'new');

    const { end } = await run('export');
    const applied = await run('diff --delete all');

    expect([end, applied.end]).toEqual(['done', 'done']);
  });
});

describe('an unusable API', () => {
  it.each([
    ['an expired key', () => http('fw_expired'), 'rejects this key'],
    ['a key that may only read', () => http(KEYS.viewer), 'rejects this key'],
    [
      'a stack that does not answer',
      () => http(undefined, 'http://127.0.0.1:1'),
      'cannot be reached',
    ],
  ])('apply reports an unusable API in one line: %s', async (_what, as, said) => {
    await write(FILES);

    await expect(run('apply', { as: as() })).rejects.toThrow(said);
    expect((await ask('GET', '/v1/watchlists')).watchlists).toEqual([]);
  });
});

describe('the interface', () => {
  it('a throttled request is retried after `Retry-After`', async () => {
    await using busy = await startHttpServer((response, _request, count) => {
      const problem = { type: 'urn:floorwatch:problem:throttled', status: 429, detail: 'later' };
      if (count <= 2) response.writeHead(429, { 'Retry-After': '7' }).end(JSON.stringify(problem));
      else response.end('{"channels": []}');
    });
    const waits: number[] = [];
    const wait = async (milliseconds: number) => void waits.push(milliseconds);
    const asked = createInterface({ url: busy.url, key: KEYS.owner, wait });

    const outcome = await asked.ask('GET /v1/channels', z.unknown());

    expect(outcome).toEqual({ kind: 'answered', answer: { channels: [] } });
    expect(waits).toEqual([7000, 7000]);
  });

  it('a server that responds with HTML is rejected', async () => {
    await using page = await startHttpServer((response) => response.end('<html>'));
    await write(FILES);

    await expect(run('diff', { as: http(KEYS.owner, page.url) })).rejects.toThrow(
      'is not a floorwatch API',
    );
  });
});

/** Runs an action right after the last dry run, before the first change. */
function afterThePlan(asked: Interface, act: () => Promise<void>): Interface {
  let hasActed = false;
  let tried = 0;
  return {
    ask: async (request, schema, given) => {
      tried += request.includes('dryRun=true') ? 1 : 0;
      // There are four dry runs: two contact points and two lists.
      if (!hasActed && tried === 4 && !request.startsWith('GET')) {
        const answer = await asked.ask(request, schema, given);
        hasActed = true;
        await act();
        return answer;
      }
      return await asked.ask(request, schema, given);
    },
  };
}
