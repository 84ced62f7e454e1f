import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isArchiveCursor, placeFromCursor } from '#shared/domain/archive/place.ts';
import { WatchlistBody } from '#shared/domain/watchlists/watchlist-body.ts';
import { Identifier } from '#shared/domain/words.ts';
import { cursorParameter, toCursor } from '#shared/http/cursor.ts';
import { ProblemError } from '#shared/http/problem.ts';
import { readBody } from '#shared/http/request.ts';
import { ANY, world } from '#test/functions/serve-api/watchlists/world.ts';
import { anHttpRequest, aRuleBody, aWatchlistBody, PUNKS } from '#test/support/builders.ts';
import { runsOf } from '#test/support/extent.ts';
import { anyFormOf, garbage, garbled, growthOf, numbersIn } from '#test/support/garbage.ts';

const aFullWatchlist = aWatchlistBody({
  contracts: [PUNKS, { contract: PUNKS.replace('eth', 'base'), name: 'Punks on Base' }],
  rules: [
    aRuleBody({ recover: '65', for: '30m', repeat: { reminder: '6h' }, severity: 'critical' }),
    {
      metric: 'floor_change_pct.24h',
      when: 'outside',
      low: '-10',
      high: '10',
      notifyRecovery: true,
    },
    {
      metric: 'lowest_price.7d',
      when: 'above',
      threshold: '1.5',
      unit: 'eth',
      expiresAt: '2026-12-21T00:00:00Z',
      all: [{ metric: 'floor_price_usd', when: 'below', threshold: '200000' }],
    },
  ],
  channels: [
    { id: 'mail', kind: 'email', to: 'people@example.com' },
    { kind: 'sqs', queue: 'arn:aws:sqs:us-east-1:123456789012:alerts' },
    {
      kind: 'webhook',
      url: 'https://hook.example.com/a?b=c',
      secrets: [`whsec_${'A'.repeat(32)}`],
    },
  ],
});
const aMute = { for: '6h', rule: 'floor-60', severity: 'warning', reason: 'a quiet evening' };
const aProblem = /^urn:floorwatch:problem:[a-z_]+$/;
const RUNS = runsOf(150);

describe('fuzzed requests', () => {
  it.each([
    ['POST ', aFullWatchlist],
    ['PUT punks', aFullWatchlist],
    ['POST punks/mutes', aMute],
    ['POST punks/rules', aFullWatchlist.rules[0]],
    ['POST punks/contracts', aFullWatchlist.contracts[1]],
    ['POST punks/channels', { kind: 'email', to: 'people@example.com' }],
  ] as const)(
    '%s with any body makes the described change, or returns a problem and changes nothing',
    async (to, of) => {
      await fc.assert(
        fc.asyncProperty(anyFormOf(of), async (body) => {
          const { ask, reports, table } = world();
          if (to !== 'POST ') await ask('POST ', { body: aWatchlistBody() });
          const before = table.items();

          const answer = await ask(to, { ...(to === 'PUT punks' ? ANY : {}), body });

          expect(reports).toEqual([]);
          if (answer.status < 300) {
            expect(
              numbersIn(table.items()).filter((number) => !Number.isSafeInteger(number)),
            ).toEqual([]);
          } else {
            expect([400, 409, 413]).toContain(answer.status);
            expect(answer.body.type).toMatch(aProblem);
            expect(table.items()).toEqual(before);
          }
        }),
        RUNS,
      );
    },
  );

  it.each([
    ['GET {watchlist}', 'GET punks'],
    ['PUT {watchlist}', 'PUT punks'],
    ['DELETE {watchlist}', 'DELETE punks'],
    ['PUT {watchlist}/rules/{rule}', 'PUT punks/rules/{rule}'],
    ['PUT {watchlist}/contracts/{contract}', 'PUT punks/contracts/{contract}'],
    ['DELETE {watchlist}/contracts/{contract}', 'DELETE punks/contracts/{contract}'],
    ['GET {watchlist}/watches', 'GET punks/watches'],
    ['GET {watchlist}/alerts', 'GET punks/alerts'],
    ['GET {watchlist}/alerts/{alert}', 'GET punks/alerts/{alert}'],
    ['POST …/acknowledge', 'POST punks/alerts/{alert}/acknowledge'],
    ['GET …/explain', 'GET punks/watches/{contract}/{rule}/explain'],
    ['DELETE {watchlist}/mutes/{mute}', 'DELETE punks/mutes/{mute}'],
  ])('%s with any path, query and header returns an answer below 500', async (_, route) => {
    const asked = fc.record({
      path: fc.record({
        watchlist: fc.oneof(fc.constant('punks'), garbage),
        alert: garbage,
        contract: fc.oneof(fc.constant<string>(PUNKS), garbled(PUNKS)),
        rule: fc.oneof(fc.constant('floor-60'), garbage),
        mute: garbage,
      }),
      query: fc.oneof(
        fc.constant({}),
        fc.record(
          {
            limit: fc.oneof(garbage, fc.constantFrom('0', '1', '100', '101', '1e1', '-1')),
            cursor: fc.oneof(garbage, garbage.map(toCursor), fc.constant(toCursor('ALERT#2026'))),
          },
          { requiredKeys: [] },
        ),
        fc.dictionary(garbage, garbage, { maxKeys: 2 }),
      ),
      headers: fc.record(
        { 'If-Match': fc.oneof(fc.constant('*'), garbage), 'if-none-match': garbage },
        { requiredKeys: [] },
      ),
    });

    await fc.assert(
      fc.asyncProperty(asked, async (about) => {
        const { ask, reports } = world();
        await ask('POST ', { body: aWatchlistBody() });

        const answer = await ask(route, { ...about, body: aWatchlistBody() });

        expect(reports).toEqual([]);
        expect(answer.status).toBeLessThan(500);
        if (answer.status >= 400) expect(answer.body.type).toMatch(aProblem);
      }),
      RUNS,
    );
  });
});

describe('fuzzed cursors', () => {
  it('rejects a cursor that was not issued', () => {
    const parameter = cursorParameter(Identifier, 'LIST#');
    const texts = fc.oneof(garbage, garbage.map(toCursor), garbled(toCursor('LIST#punks')));

    fc.assert(
      fc.property(texts, (text) => {
        const key = parameter.safeParse(text).data ?? 'LIST#punks';
        const place = isArchiveCursor(text) ? placeFromCursor(text, 'question') : undefined;

        expect(key).toMatch(/^LIST#[a-z0-9][a-z0-9-]*$/);
        expect(place).toBeUndefined();
      }),
      RUNS,
    );
  });
});

describe('long bodies', () => {
  const refused = (body: string) => () =>
    readBody(anHttpRequest('POST /v1/watchlists', { body }), WatchlistBody);

  it.each<[member: string, bodyOf: (text: string) => object, notifications: string]>([
    ['id', (id) => ({ id }), 'a-'],
    ['name', (name) => ({ name }), ' e'],
    ['contract', (contract) => ({ contracts: [contract] }), 'eth:'],
    ['threshold', (threshold) => ({ rules: [aRuleBody({ threshold })] }), '0'],
    ['metric', (metric) => ({ rules: [aRuleBody({ metric })] }), 'floor_price.'],
    ['moment', (expiresAt) => ({ rules: [aRuleBody({ expiresAt })] }), '2026-'],
    ['unit', (unit) => ({ rules: [aRuleBody({ unit })] }), 'e'],
    ['address', (to) => ({ channels: [{ kind: 'email', to }] }), 'a.'],
    ['address with ats', (to) => ({ channels: [{ kind: 'email', to }] }), 'a@'],
    ['URL', (url) => ({ channels: [{ kind: 'webhook', url }] }), 'https://a.'],
    ['queue', (queue) => ({ channels: [{ kind: 'sqs', queue }] }), 'arn:aws:sqs:'],
    [
      'secret of a webhook',
      (secret) => ({
        channels: [{ kind: 'webhook', url: 'https://a.example.com', secrets: [secret] }],
      }),
      'whsec_',
    ],
    ['secret', (url) => ({ channels: [{ kind: 'slack', url }] }), 'https://hooks.slack.com/'],
  ])('rejects a body with a long %s in linear time', (_, bodyOf, notifications) => {
    const textOf = (size: number) =>
      JSON.stringify(aWatchlistBody(bodyOf(notifications.repeat(size / notifications.length))));

    expect(growthOf((body) => expect(refused(body)).toThrow(ProblemError), textOf)).toBeLessThan(
      32,
    );
  });
});
