import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readDirectory } from '#infra/operate/watchlists/directory.ts';

const SLACK = 'https://hooks.slack.com/services/T000/B000/secret';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'watchlists-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** The problems of a directory with these files, as `file:line: pointer: detail`. */
async function problemsOf(files: Readonly<Record<string, string>>, variables = {}) {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  const { problems } = await readDirectory(folder, variables);
  return problems.map(({ file, line, pointer, detail }) =>
    `${file}:${line}: ${pointer}: ${detail}`.replace(`${folder}/`, ''),
  );
}

describe('files of watchlists', () => {
  it('files may be JSON, and in YAML an address without quotes is read as text', async () => {
    await problemsOf({
      'watchlists/a.json': '{"name": "A", "rules": []}',
      'watchlists/b.yml': 'name: B\nwallet: 0xd8da6bf26964af9d7eed9e03e53415d37aa96045\n',
    });

    const { watchlists } = await readDirectory(folder, {});

    expect(watchlists?.map(({ id, body }) => [id, body])).toEqual([
      ['a', { name: 'A', rules: [] }],
      ['b', { name: 'B', wallet: '0xd8da6bf26964af9d7eed9e03e53415d37aa96045' }],
    ]);
  });

  type Wrong = {
    readonly what: string;
    readonly files: Readonly<Record<string, string>>;
    readonly problem: RegExp;
  };
  it.each<Wrong>([
    {
      what: 'a file that is not YAML',
      files: { 'watchlists/a.yaml': 'name: A\nrules: [' },
      problem: /^watchlists\/a\.yaml:2: : Flow sequence/,
    },
    {
      what: 'a member twice',
      files: { 'watchlists/a.json': '{\n"name": "A",\n"name": "B"}' },
      problem: /^watchlists\/a\.json:3: : Map keys must be unique/,
    },
    {
      what: 'a variable that is not set',
      files: { 'watchlists/a.yaml': `channels:\n  - kind: slack\n    url: \${NONE}\n` },
      problem: /^watchlists\/a\.yaml:3: \/channels\/0\/url: expected the variable NONE in/,
    },
    {
      what: 'a secret',
      files: { 'channels.yaml': `channels:\n  - id: a\n    kind: slack\n    url: ${SLACK}\n` },
      problem: /^channels\.yaml:4: \/channels\/0\/url: expected "\$\{NAME\}", with the secret in/,
    },
    {
      what: 'a contact point without an id',
      files: { 'channels.yaml': 'channels:\n  - kind: email\n' },
      problem: /^channels\.yaml:2: \/channels\/0\/id: expected the id of the contact point/,
    },
    {
      what: 'a contact point twice',
      files: { 'channels.yaml': 'channels:\n  - {id: a}\n  - {id: a}\n' },
      problem: /^channels\.yaml:3: \/channels\/1\/id: duplicate id "a"$/,
    },
    {
      what: 'another member beside contact points',
      files: { 'channels.yaml': 'channels: []\nchanels: []\n' },
      problem: /^channels\.yaml:2: \/chanels: unknown member/,
    },
    {
      what: 'a list in two files',
      files: { 'watchlists/a.yaml': 'name: A', 'watchlists/a.json': '{"name": "A"}' },
      problem: /^watchlists\/a\.yaml:1: \/id: duplicate id "a": .*a\.json has the same id/,
    },
    {
      what: 'a list beside the folder of lists',
      files: { 'a.yaml': 'name: A', 'channels.yaml': 'channels: []' },
      problem: /^a\.yaml:1: : unexpected file: watchlists belong in the folder watchlists/,
    },
  ])('a directory with $what is rejected, with file and line', async ({ files, problem }) => {
    expect(await problemsOf(files)).toEqual([expect.stringMatching(problem)]);
  });

  it('the error about a rejected secret does not repeat the secret', async () => {
    const channels = `channels:\n  - id: a\n    kind: slack\n    url: ${SLACK}\n`;

    expect((await problemsOf({ 'channels.yaml': channels })).join()).not.toContain('hooks.slack');
  });

  it.each([
    { files: {}, said: 'contains neither channels.yaml' },
    { files: undefined, said: 'is not a directory' },
  ])('a directory that $said is rejected', async ({ files, said }) => {
    if (files === undefined) folder = join(folder, 'none');

    await expect(readDirectory(folder, {})).rejects.toThrow(said);
  });
});
