import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packText, unpackText } from '#shared/clients/text-packer.ts';
import { HOUR } from '#shared/domain/market/instant.ts';
import type { AskingRefusal, KnownAnswer } from '#shared/domain/nft-data/known-answer.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { createAnswerStore } from '#shared/stores/answer-store.ts';
import type { Table } from '#shared/stores/table.ts';
import { NOON } from '#test/support/builders.ts';
import { ENGINES } from '#test/support/engines.ts';
import { createSeededRandom } from '#test/support/seeded-random.ts';

const PAGE = `{"result":[${'{"name":"Füße 😀","n":1e400},'.repeat(2000)}null]}`;

const REFUSALS: readonly AskingRefusal[] = [
  { kind: 'not_ready' },
  { kind: 'not_found' },
  { kind: 'unsupported', reason: 'retired' },
  { kind: 'denied', reason: 'quota' },
  { kind: 'throttled' },
  { kind: 'throttled', retryAfterSeconds: 9 },
  { kind: 'failed', reason: 'bad_request' },
  { kind: 'no_capacity', until: NOON + HOUR },
];

const newStore = (table: Table, packed: string[] = []) =>
  createAnswerStore(table, {
    pack: async (text) => {
      packed.push(text);
      return await packText(text);
    },
    unpack: unpackText,
  });

describe.each(ENGINES)('cached answers in a table $name', (engine) => {
  beforeAll(engine.start);
  afterAll(engine.stop);

  it.each<[what: string, known: KnownAnswer]>([
    ['only a claim', { version: 0, askedUntil: NOON }],
    ['a body', { version: 0, good: { at: NOON, reported: { kind: 'ok', body: PAGE } } }],
    ['an empty body', { version: 0, good: { at: NOON, reported: { kind: 'ok', body: '' } } }],
    ['an empty result', { version: 0, good: { at: NOON, reported: { kind: 'empty' } } }],
    ...REFUSALS.map((refusal): [string, KnownAnswer] => [
      JSON.stringify(refusal),
      {
        version: 0,
        askedUntil: NOON + 1,
        good: { at: NOON - HOUR, reported: { kind: 'ok', body: PAGE } },
        refused: { at: NOON, refusal },
      },
    ]),
  ])('reads back an answer with %s', async (_, known) => {
    const table = await engine.createTable();

    const written = await newStore(table).put('id', known);

    expect(written).toStrictEqual({ ...known, version: 1 });
    expect(await newStore(table).get('id')).toStrictEqual(written);
    expect(await newStore(table).get('other')).toBeUndefined();
  });

  it('packs an answer for storage only once, and expires it two days after its last use', async () => {
    const table = await engine.createTable();
    const packed: string[] = [];
    const good = { at: NOON, reported: { kind: 'ok', body: PAGE } } as const;
    const first = await newStore(table, packed).put('id', { version: 0, good });
    expect((await table.get({ pk: 'ANSWER#id', sk: 'ANSWER' }))?.ttl).toBe(
      (NOON + 48 * HOUR) / 1000,
    );
    const reader = newStore(table, packed);
    const read = (await reader.get('id')) ?? first;

    await reader.put('id', { ...read, askedUntil: NOON + HOUR });

    const item = await table.get({ pk: 'ANSWER#id', sk: 'ANSWER' });
    expect(JSON.stringify(item).length).toBeLessThan(PAGE.length / 20);
    expect(item?.ttl).toBe((NOON + 49 * HOUR) / 1000);
    expect(packed).toEqual([PAGE]);
    expect(await newStore(table).get('id')).toMatchObject({ version: 2, good });
  });

  it('stores only a marker for an answer that is too large, until the next answer replaces it', async () => {
    const store = newStore(await engine.createTable());
    const random = createSeededRandom(1);
    const body = Array.from({ length: 500_000 }, () => random.below(36).toString(36)).join('');
    const good = { at: NOON, reported: { kind: 'ok', body } } as const;

    const written = await store.put('id', { version: 0, good });
    const read = await store.get('id');
    await store.put('id', { version: 1, good: { ...good, reported: { kind: 'empty' } } });

    expect(written.good).toEqual(good);
    expect(read).toStrictEqual({ version: 1, isTooLarge: true });
    expect(await store.get('id')).toStrictEqual({
      version: 2,
      good: { at: NOON, reported: { kind: 'empty' } },
    });
  });

  it('rejects the second of two writers that read the same version of an answer', async () => {
    const store = newStore(await engine.createTable());
    await store.put('id', { version: 0, askedUntil: NOON });

    await expect(store.put('id', { version: 0, askedUntil: NOON + 1 })).rejects.toThrow(
      VersionConflictError,
    );

    expect(await store.get('id')).toEqual({ version: 1, askedUntil: NOON });
  });

  it.each([
    { version: undefined },
    { askedUntil: 'soon' },
    { good: { at: NOON, body: 7 } },
    { good: { at: NOON, body: 'not packed' } },
    { refused: { at: NOON, refusal: { kind: 'tired' } } },
  ])('rejects a stored answer with %j', async (corruption) => {
    const table = await engine.createTable();
    const store = newStore(table);
    await store.put('id', { version: 0, askedUntil: NOON });
    const key = { pk: 'ANSWER#id', sk: 'ANSWER' };
    await table.put({ ...(await table.get(key)), ...key, ...corruption });

    await expect(store.get('id')).rejects.toThrow();
  });
});
