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

it('asks where the operation is configured to be asked', async () => {
  expect(await answered('upstream', UPSTREAM)).toBe(UPSTREAM);
  expect(await answered('upstream', FAILED)).toBe(FAILED);
  expect(await answered('archive', UPSTREAM)).toBe(ARCHIVE);
});

it.each<[what: string, upstream: NftAnswer, archive: NftAnswer, expected: NftAnswer]>([
  ['what the upstream says', UPSTREAM, ARCHIVE, UPSTREAM],
  ['what the archive knows where it knows of no trade', { kind: 'empty' }, ARCHIVE, ARCHIVE],
  ['what the archive knows where its page is empty', EMPTY_PAGE, ARCHIVE, ARCHIVE],
  ['that there is nothing', EMPTY_PAGE, { ...ARCHIVE, entries: 0 }, EMPTY_PAGE],
  ['that there was no trade', { kind: 'empty' }, { kind: 'empty' }, { kind: 'empty' }],
  ['its last good answer for an hour', old(3600), ARCHIVE, old(3600)],
  ['then what the archive knows', old(3601), ARCHIVE, ARCHIVE],
  ['what the archive knows of what is retired', old(1, 'unsupported'), ARCHIVE, ARCHIVE],
  ['the last good answer where it knows nothing', old(9999), { ...ARCHIVE, entries: 0 }, old(9999)],
  ['the same where there was no trade', old(9999), { kind: 'empty' }, old(9999)],
  ['what the archive knows where there is no other', FAILED, ARCHIVE, ARCHIVE],
  ['why there is no answer', FAILED, { ...ARCHIVE, entries: 0 }, FAILED],
])('with the archive behind it reports %s', async (_, upstream, archive, expected) => {
  expect(await answered('upstream-then-archive', upstream, archive)).toEqual(expected);
});

it('goes on where a walk began', async () => {
  const page = (cursor: string): NftQuestion => ({ ...FLOOR, cursor });

  expect(await answered('upstream-then-archive', UPSTREAM, ARCHIVE, page(OURS))).toBe(ARCHIVE);
  expect(await answered('upstream-then-archive', FAILED, ARCHIVE, page('theirs'))).toBe(FAILED);
  expect(await answered('upstream', UPSTREAM, ARCHIVE, page(OURS))).toEqual({ kind: 'bad_cursor' });
});

it('has nothing of the upstream at hand for what the archive reports', async () => {
  const sources = { traits: 'archive', floor: 'archive', lowest: 'upstream' } as const;
  const upstream = { recall: async () => UPSTREAM, ask: async () => UPSTREAM };
  const { recall } = chooseSource(sources, upstream, async () => ARCHIVE);

  expect(await recall(FLOOR)).toBeUndefined();
  expect(await recall({ operation: 'lowest', contract, chain: contract.chain, days: 7 })).toBe(
    UPSTREAM,
  );
});

it('asks again before it reports that there is nothing, where the archive may know something', async () => {
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
  'with %s and the cursor %s begins with the upstream: %s',
  (source, cursor, expected) => {
    const sources = { traits: source, floor: source, lowest: source };
    const upstream = { recall: async () => undefined, ask: async () => UPSTREAM };
    const { asksUpstream } = chooseSource(sources, upstream, async () => ARCHIVE);

    expect(asksUpstream(cursor === undefined ? FLOOR : { ...FLOOR, cursor })).toBe(expected);
  },
);
