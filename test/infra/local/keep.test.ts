import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { expectKeptMarket, type MarketIdentity, openStore } from '#infra/local/keep.ts';

const noon = Date.parse('2022-01-10T12:00:00Z');

it('a store restores the table, the state, the messages and the topics of an earlier run', async () => {
  const file = await aFile();
  const item = { pk: 'A', sk: 'a', version: 1, falling: '5' };
  const message = {
    ...{ id: '1', group: 'a', body: '{}', trace: 'tick', sentAt: noon },
    queue: 'lists' as const,
  };
  const topic = { arn: 'arn:a', protocol: 'email', endpoint: 'desk@example.com' } as const;
  const market: MarketIdentity = { kind: 'simulated', seed: 7, from: noon };

  const before = await openStore(file);
  await before.table.put(item, 0);
  before.messages.add(message);
  before.messages.add({ ...message, id: '2' });
  before.messages.remove('2');
  before.topics.add(topic);
  before.topics.add({ ...topic, arn: 'arn:b' });
  before.topics.remove('arn:b');
  before.keep({ time: noon, market });
  before.keep({ time: noon + 60_000 });
  const { channelKey } = before.kept();
  before.close();
  const after = await openStore(file);
  onTestFinished(after.close);

  expect(await after.table.get(item)).toEqual(item);
  expect(after.messages.all()).toEqual([message]);
  expect(after.topics.all()).toEqual([topic]);
  expect(after.kept()).toMatchObject({ time: noon + 60_000, market, channelKey });
});

it('a store contains the keys of a run even before its first minute', async () => {
  const file = await aFile();
  const before = await openStore(file);
  const { channelKey, pushKey, linkKey, webhookSecret } = before.kept();
  before.close();

  const after = await openStore(file);
  onTestFinished(after.close);

  expect(after.kept()).toEqual({ channelKey, pushKey, linkKey, webhookSecret, webhookPort: 0 });
});

it('the file of a store is readable only for its owner', async () => {
  const file = await aFile();
  await writeFile(file, '');
  await chmod(file, 0o644);

  const store = await openStore(file);
  onTestFinished(store.close);

  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

it('a store without a file stores nothing for the next run', async () => {
  const store = await openStore(undefined);
  store.keep({ time: noon });

  expect(store.kept().time).toBe(noon);
  expect((await openStore(undefined)).kept().time).toBeUndefined();
});

describe('openStore', () => {
  it('openStore rejects a file that another store has open', async () => {
    const file = await aFile();
    const first = await openStore(file);
    onTestFinished(first.close);

    await expect(openStore(file)).rejects.toThrow(`--keep ${file} is in use by another process`);
  });

  it('openStore rejects a folder', async () => {
    const file = await aFile();
    await mkdir(file);

    await expect(openStore(file)).rejects.toThrow(`--keep ${file} is a folder`);
  });

  it('openStore rejects a file that is not a database, and does not change it', async () => {
    const file = await aFile();
    await writeFile(file, 'a letter to my grandmother, who has no database at all');

    await expect(openStore(file)).rejects.toThrow(`--keep ${file} cannot be used: file is not a`);
    expect((await stat(file)).size).toBe(54);
  });

  it('openStore rejects a database with a damaged state', async () => {
    const file = await aFile();
    const store = await openStore(file);
    store.keep({ channelKey: 'no key' });
    store.close();

    await expect(openStore(file)).rejects.toThrow(`--keep ${file} cannot be read`);
  });
});

describe('expectKeptMarket', async () => {
  const simulated = { kind: 'simulated', seed: 7 } as const;
  const replayed = { kind: 'replayed', folder: '/data' } as const;
  const real = { kind: 'real', url: 'https://nft.example', key: 'secret', others: [] } as const;
  const nothing = (await openStore(undefined)).kept();

  it.each([
    { kept: { ...simulated, from: noon }, market: simulated },
    { kept: { ...simulated, from: noon }, market: simulated, from: noon },
    { kept: { ...replayed, from: noon }, market: { ...replayed, folder: '/data/' } },
    { kept: { kind: 'real' } as const, market: real },
    { kept: undefined, market: simulated, from: noon },
  ])('expectKeptMarket accepts the stored market: $market', ({ kept, market, from }) => {
    expect(() =>
      expectKeptMarket('kept', { ...nothing, market: kept }, { market, from }),
    ).not.toThrow();
  });

  it.each([
    { market: { ...simulated, seed: 8 }, issue: '(--seed 7), not of the simulated' },
    { market: replayed, issue: '(--seed 7), not of recorded data (--data /data)' },
    { market: real, issue: '(--seed 7), not of a real service' },
    {
      market: simulated,
      from: noon + 1,
      issue: '--keep kept contains a run that starts at 2022-01-10T12:00:00.000Z: omit --from',
    },
  ])('expectKeptMarket rejects another market: $issue', ({ market, from, issue }) => {
    const kept = { ...nothing, market: { ...simulated, from: noon } };

    expect(() => expectKeptMarket('kept', kept, { market, from })).toThrow(issue);
  });

  it('expectKeptMarket rejects a folder other than the replayed one', () => {
    const kept = { ...nothing, market: { ...replayed, from: noon } };
    const market = { ...replayed, folder: '/other' };

    expect(() => expectKeptMarket('kept', kept, { market, from: undefined })).toThrow(
      '--keep kept contains a run of recorded data (--data /data), not of recorded data (--data /other)',
    );
  });
});

async function aFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'floorwatch-test-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return join(folder, 'kept');
}
