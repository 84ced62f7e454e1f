import { describe, expect, it } from 'vitest';
import { inTurn } from '#functions/serve-nft-data/in-turn.ts';
import type { NftQuestion } from '#functions/serve-nft-data/source.ts';
import { contractOf } from '#shared/domain/market/contract.ts';
import { SECOND } from '#shared/domain/market/instant.ts';
import type { AskingOutcome, AskingRefusal } from '#shared/domain/nft-data/known-answer.ts';
import { NOON, PUNKS } from '#test/support/builders.ts';

const { signal } = new AbortController();
const contract = contractOf(PUNKS);
const FLOORS: NftQuestion = { operation: 'floor', chain: contract.chain, contract, interval: '7d' };
const page = (cursor: string): AskingOutcome => ({
  kind: 'ok',
  body: `{"page":1, "cursor":${JSON.stringify(cursor)},"result":[{"price":1.10}]}`,
});
const THROTTLED = { kind: 'throttled' } as const;

/** A first provider with OpenSea as fallback, and the calls that each received. */
function providers(first: AskingOutcome, other: AskingOutcome, secondsOfFirst = 1) {
  let now = NOON;
  const asked: string[] = [];
  const ask = inTurn(
    async (question) => {
      asked.push(`first ${cursorIn(question)}`);
      now += secondsOfFirst * SECOND;
      return first;
    },
    [
      {
        provider: 'opensea',
        ask: async (question) => {
          asked.push(`opensea ${cursorIn(question)}`);
          return other;
        },
      },
    ],
    () => now,
  );
  return {
    asked,
    ask: (given: object = {}) => ask({ ...FLOORS, ...given }, signal),
  };
}
const cursorIn = (question: NftQuestion) => ('cursor' in question && question.cursor) || '-';

describe('a v2.2 request', () => {
  it.each<[AskingOutcome]>([[page('')], [{ kind: 'empty' }]])(
    'a request goes only to the first provider if that provider answers %j',
    async (answer) => {
      const { ask, asked } = providers(answer, page(''));

      expect([await ask(), asked]).toEqual([answer, ['first -']]);
    },
  );

  it.each<[AskingRefusal]>([
    [THROTTLED],
    [{ kind: 'denied', reason: 'plan' }],
    [{ kind: 'unsupported', reason: 'retired' }],
    [{ kind: 'not_found' }],
    [{ kind: 'failed', reason: 'server_error' }],
    [{ kind: 'no_capacity', until: NOON }],
  ])('a request goes to the fallback provider if the first one answers %j', async (refusal) => {
    const { ask, asked } = providers(refusal, page(''));

    expect([await ask(), asked]).toEqual([page(''), ['first -', 'opensea -']]);
  });

  it('a request receives the refusal of the first provider if the fallback fails too', async () => {
    const { ask } = providers(THROTTLED, { kind: 'failed', reason: 'network' });

    expect(await ask()).toEqual(THROTTLED);
  });

  it('a request does not go to the fallback provider if the first one took too long', async () => {
    const { ask, asked } = providers({ kind: 'failed', reason: 'timeout' }, page(''), 8);

    expect([(await ask()).kind, asked]).toEqual(['failed', ['first -']]);
  });
});

describe('a cursor', () => {
  it('a cursor of the fallback provider is passed to that provider unchanged', async () => {
    const { ask, asked } = providers(THROTTLED, page('next'));

    expect([await ask({ cursor: 'by.opensea.2.a.b' }), asked]).toEqual([
      page('next'),
      ['opensea 2.a.b'],
    ]);
  });

  it('a cursor of the first provider is not passed to the fallback, which would start over', async () => {
    const { ask, asked } = providers(THROTTLED, page(''));

    expect([await ask({ cursor: 'c1' }), asked]).toEqual([THROTTLED, ['first c1']]);
  });

  it('a cursor of a removed provider is rejected as a bad request', async () => {
    const { ask, asked } = providers(page(''), page(''));

    expect(await ask({ cursor: 'by.coingecko.2' })).toEqual({
      kind: 'failed',
      reason: 'bad_request',
    });
    expect(asked).toEqual([]);
  });
});
