import { expect, it } from 'vitest';
import { chooseSource } from '#functions/serve-nft-data/choose-source.ts';
import type { NftAnswer, NftQuestion } from '#functions/serve-nft-data/source.ts';
import { cursorTo } from '#shared/domain/archive/place.ts';
import { contractOf } from '#shared/domain/market/contract.ts';
import { PUNKS } from '#test/support/builders.ts';

const contract = contractOf(PUNKS);
const FLOOR: NftQuestion = { operation: 'floor', contract, chain: contract.chain, interval: '7d' };
const OURS = cursorTo({ after: '1', page: 2, limit: 5 }, 'question');

const UPSTREAM: NftAnswer = { kind: 'ok', body: 'upstream', from: 'upstream' };
const EMPTY_PAGE: NftAnswer = { ...UPSTREAM, body: '{"page":1,"cursor":"","result":[ ]}' };
const ARCHIVE: NftAnswer = { kind: 'ok', body: 'archive', from: 'archive', entries: 3 };
const FAILED: NftAnswer = { kind: 'failed', reason: 'network' };

const old = (seconds: number, insteadOf: 'failed' | 'unsupported' = 'failed'): NftAnswer => ({
  ...UPSTREAM,
  cached: { ageSeconds: seconds, insteadOf },
});

async function answered(
  source: 'upstream' | 'archive' | 'upstream-then-archive',
  upstream: NftAnswer,
  archive: NftAnswer = ARCHIVE,
  question = FLOOR,
): Promise<NftAnswer> {
  const sources = { traits: source, floor: source, lowest: source };
  const { ask } = chooseSource(
    sources,
    { recall: async () => undefined, ask: async () => upstream },
    async () => archive,
  );
  return await ask(question, AbortSignal.timeout(60_000));
}

it('a request is answered by the source that is configured for its operation', async () => {
  expect(await answered('upstream', UPSTREAM)).toBe(UPSTREAM);
  expect(await answered('upstream', FAILED)).toBe(FAILED);
  expect(await answered('archive', UPSTREAM)).toBe(ARCHIVE);
});

it.each<[what: string, upstream: NftAnswer, archive: NftAnswer, expected: NftAnswer]>([
  ['the answer of the upstream', UPSTREAM, ARCHIVE, UPSTREAM],
  ['the answer of the archive if the upstream has no trade', { kind: 'empty' }, ARCHIVE, ARCHIVE],
  ['the answer of the archive if the page of the upstream is empty', EMPTY_PAGE, ARCHIVE, ARCHIVE],
  ['an empty page if both are empty', EMPTY_PAGE, { ...ARCHIVE, entries: 0 }, EMPTY_PAGE],
  ['no trade if both have none', { kind: 'empty' }, { kind: 'empty' }, { kind: 'empty' }],
  ['a cached answer of the upstream for an hour', old(3600), ARCHIVE, old(3600)],
  ['the answer of the archive instead of an older cached answer', old(3601), ARCHIVE, ARCHIVE],
  ['the answer of the archive for a retired operation', old(1, 'unsupported'), ARCHIVE, ARCHIVE],
  [
    'an older cached answer if the archive is empty',
    old(9999),
    { ...ARCHIVE, entries: 0 },
    old(9999),
  ],
  ['an older cached answer if the archive has no trade', old(9999), { kind: 'empty' }, old(9999)],
  ['the answer of the archive if the upstream failed', FAILED, ARCHIVE, ARCHIVE],
  [
    'the failure of the upstream if the archive is empty',
    FAILED,
    { ...ARCHIVE, entries: 0 },
    FAILED,
  ],
])('upstream-then-archive returns %s', async (_, upstream, archive, expected) => {
  expect(await answered('upstream-then-archive', upstream, archive)).toEqual(expected);
});

it('a cursor continues at the source that issued it', async () => {
  const page = (cursor: string): NftQuestion => ({ ...FLOOR, cursor });

  expect(await answered('upstream-then-archive', UPSTREAM, ARCHIVE, page(OURS))).toBe(ARCHIVE);
  expect(await answered('upstream-then-archive', FAILED, ARCHIVE, page('theirs'))).toBe(FAILED);
  expect(await answered('upstream', UPSTREAM, ARCHIVE, page(OURS))).toEqual({ kind: 'bad_cursor' });
});

it('no cached answer of the upstream is returned for an operation that the archive answers', async () => {
  const sources = { traits: 'archive', floor: 'archive', lowest: 'upstream' } as const;
  const upstream = { recall: async () => UPSTREAM, ask: async () => UPSTREAM };
  const { recall } = chooseSource(sources, upstream, async () => ARCHIVE);

  expect(await recall(FLOOR)).toBeUndefined();
  expect(await recall({ operation: 'lowest', contract, chain: contract.chain, days: 7 })).toBe(
    UPSTREAM,
  );
});

it('a cached empty answer is not reused if the archive may have more', async () => {
  const lowest: NftQuestion = { operation: 'lowest', contract, chain: contract.chain, days: 7 };
  const recalled = async (source: 'upstream' | 'upstream-then-archive') => {
    const sources = { traits: source, floor: source, lowest: source };
    const empty: NftAnswer = { kind: 'empty' };
    const upstream = { recall: async () => empty, ask: async () => empty };
    return await chooseSource(sources, upstream, async () => ARCHIVE).recall(lowest);
  };

  expect(await recalled('upstream')).toEqual({ kind: 'empty' });
  expect(await recalled('upstream-then-archive')).toBeUndefined();
});

it.each([
  ['archive', undefined, false],
  ['archive', OURS, false],
  ['upstream', undefined, true],
  ['upstream', 'theirs', true],
  ['upstream-then-archive', undefined, true],
  ['upstream-then-archive', 'theirs', true],
  ['upstream-then-archive', OURS, false],
] as const)(
  'with source %s and cursor %s the upstream is called first: %s',
  (source, cursor, expected) => {
    const sources = { traits: source, floor: source, lowest: source };
    const upstream = { recall: async () => undefined, ask: async () => UPSTREAM };
    const { asksUpstream } = chooseSource(sources, upstream, async () => ARCHIVE);

    expect(asksUpstream(cursor === undefined ? FLOOR : { ...FLOOR, cursor })).toBe(expected);
  },
);
