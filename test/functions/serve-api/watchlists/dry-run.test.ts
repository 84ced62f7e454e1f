import { describe, expect, it } from 'vitest';
import { LIMITS } from '#shared/domain/limits.ts';
import { formatInstant, HOUR } from '#shared/domain/market/instant.ts';
import {
  APES,
  anAnsweredRecord,
  aPrice,
  aRuleBody,
  aWatchlistBody,
  NOON,
  PUNKS,
} from '#test/support/builders.ts';
import { puttingInto } from '#test/support/putting.ts';
import { ANY, AS_PROMISED, world } from './world.ts';

const NOBODYS = `eth:0x${'ab'.repeat(20)}`;
const DRY = { query: { dryRun: 'true' } };
const DESK = { id: 'desk', kind: 'email', to: 'desk@example.com' };
const SLACK = { id: 'team', kind: 'slack', url: 'https://hooks.slack.com/services/T0/B0/s3cret' };

/** A list on a contract whose floor is 55. */
async function withList() {
  const made = world();
  await made.contracts.put({ ...anAnsweredRecord('floor', aPrice('55')), version: 0 });
  await made.ask('POST', { body: aWatchlistBody({ channels: [DESK, SLACK] }) });
  made.sent.length = 0;
  return made;
}

describe('a dry run', () => {
  it('a dry run reports changes, new watches and firing rules, and writes nothing', async () => {
    const { ask, table, sent } = await withList();
    const before = table.items();

    const { status, headers, body } = await ask('PUT punks', {
      ...DRY,
      body: aWatchlistBody({
        name: 'Others',
        contracts: [PUNKS, APES],
        rules: [aRuleBody({ threshold: '50' }), aRuleBody({ id: 'high', when: 'above' })],
        channels: [DESK],
      }),
    });

    expect([status, headers.ETag]).toEqual([200, '"1"']);
    expect(body).toMatchObject({
      revision: 1,
      edit: {
        name: 'Others',
        contracts: { added: [APES], changed: [], removed: [] },
        rules: { added: ['high'], changed: ['floor-60'], removed: [] },
        channels: { added: [], changed: [], removed: ['team'] },
      },
      restarted: ['floor-60'],
      watches: { begun: 4, ended: 1 },
    });
    expect(table.items()).toEqual(before);
    expect(sent).toEqual([]);
  });

  it('a dry run lists firing watches first', async () => {
    const { ask } = await withList();

    const { body } = await ask('PUT new', {
      ...DRY,
      body: aWatchlistBody({
        id: 'new',
        rules: [aRuleBody({ id: 'rests', threshold: '50' }), aRuleBody({ id: 'fires' })],
      }),
    });

    expect(body.revision).toBeNull();
    expect(body.forecast.leftOut).toBe(0);
    expect(body.forecast.watches).toMatchObject([
      { rule: 'fires', contract: PUNKS, forecast: { code: 'fires' } },
      { rule: 'rests', contract: PUNKS, forecast: { code: 'rests' } },
    ]);
  });

  it('a dry run warns about new rules that have expired, or expire before they can fire', async () => {
    const { ask } = await withList();
    const expiring = (id: string, left: number) =>
      aRuleBody({ id, for: '1h', expiresAt: formatInstant(NOON + left) });

    const { body } = await ask('PUT new', {
      ...DRY,
      body: aWatchlistBody({
        id: 'new',
        rules: [expiring('past', -HOUR), expiring('soon', HOUR), expiring('later', 2 * HOUR)],
      }),
    });

    expect(body.forecast.warnings).toMatchObject([
      { rule: 'past', text: expect.stringMatching(/has expired/) },
      { rule: 'soon', text: expect.stringMatching(/never fires, because it expires before/) },
    ]);
  });

  it('a dry run warns about a list without contracts, and about missing data that alert before the next poll', async () => {
    const { ask } = await withList();
    const warningsOf = async (changes: object) => {
      const body = aWatchlistBody({ id: 'new', ...changes });
      return (await ask('PUT new', { ...DRY, body })).body.forecast.warnings;
    };
    const quiet = (alert: string) => [aRuleBody({ id: 'quiet', noData: { alert } })];

    expect(await warningsOf({ contracts: [] })).toMatchObject([
      { rule: null, text: 'The list has no contracts, so its rules watch nothing.' },
    ]);
    expect(await warningsOf({ contracts: [], rules: [] })).toEqual([]);
    expect(await warningsOf({ rules: quiet('1m') })).toMatchObject([
      { rule: 'quiet', text: expect.stringMatching(/^Prices are polled every \d+ min, so/) },
    ]);
    expect(await warningsOf({ rules: quiet('1d') })).toEqual([]);
  });

  it('a dry run reveals nothing about a contract that only other tenants watch', async () => {
    const { ask, contracts } = await withList();
    const record = anAnsweredRecord('floor', aPrice('55'));
    await contracts.put({ ...record, contract: APES, version: 0 });
    const dryRun = async (contract: string) => {
      const body = aWatchlistBody({ contracts: [contract] });
      const answered = await ask('PUT new', { ...DRY, body: { ...body, id: 'new' } });
      return JSON.stringify(answered.body).replaceAll(contract, 'contract');
    };

    expect(await dryRun(APES)).toBe(await dryRun(NOBODYS));
    expect(await dryRun(PUNKS)).not.toBe(await dryRun(NOBODYS));
  });

  it('a dry run of an unchanged list reports no changes', async () => {
    const { ask } = await withList();
    const { body } = await ask('GET punks/export');

    const dry = await ask('PUT punks', { ...DRY, body });

    const nothing = { added: [], changed: [], removed: [] };
    expect(dry.body).toEqual({
      revision: 1,
      edit: { name: null, wallet: null, contracts: nothing, rules: nothing, channels: nothing },
      differences: [],
      restarted: [],
      watches: { begun: 0, ended: 0 },
      forecast: { watches: [], leftOut: 0, warnings: [], cadence: AS_PROMISED },
    });
  });

  it.each<[status: number, given: object]>([
    [400, { body: { name: '' } }],
    [400, { body: { name: 'x', rules: [aRuleBody({ on: APES })] } }],
    [400, { query: { dryRun: 'yes' }, body: { name: 'x' } }],
    [400, { body: { name: 'x', channels: [{ ...SLACK, id: 'x', url: 'kept:01234567' }] } }],
    [403, { body: { name: 'x' }, scopes: 'read' }],
    [412, { body: { name: 'x' }, headers: { 'If-Match': '"9"' } }],
  ])('a dry run returns %d, as the PUT would', async (status, given) => {
    const { ask } = await withList();

    expect((await ask('PUT punks', { ...DRY, ...given })).status).toBe(status);
  });

  it('a dry run reports an exceeded limit, as the PUT would', async () => {
    const { ask, quotaUsage, table } = await withList();
    const known = await quotaUsage.get('acme');
    const listUsage = {
      list: 'x',
      contracts: LIMITS.tenant.contracts,
      watches: 0,
      contactPoints: [],
    };
    await puttingInto(table).quotaUsage({ ...known, lists: [...known.lists, listUsage] });

    const { status, body } = await ask('PUT more', {
      ...DRY,
      body: { name: 'x', contracts: [APES] },
    });

    expect([status, body.type]).toEqual([409, 'urn:floorwatch:problem:quota_exceeded']);
  });
});

describe('an export', () => {
  it('a PUT of an unchanged export changes nothing', async () => {
    const { ask, table, sent } = await withList();
    const before = table.items();

    const { body } = await ask('GET punks/export');
    const put = await ask('PUT punks', { ...ANY, body });

    expect([put.status, put.headers.ETag]).toEqual([200, '"1"']);
    expect(table.items()).toEqual(before);
    expect(sent).toEqual([]);
  });

  it('an export creates an equal list under another id, once its secrets are given', async () => {
    const { ask } = await withList();
    const { body } = await ask('GET punks/export');

    const refused = await ask('PUT copy', { body });
    const made = await ask('PUT copy', { body: { ...body, channels: [DESK, SLACK] } });

    expect([refused.status, refused.body.errors]).toEqual([
      400,
      [
        {
          pointer: '/channels/1/url',
          detail:
            'expected the full secret: channel "team" has no stored secret with this "kept:…" value',
        },
      ],
    ]);
    expect(made.status).toBe(201);
    expect((await ask('GET copy/export')).body).toEqual(body);
  });
});

describe('the forecast of a created list or rule', () => {
  it.each([
    ['POST', aWatchlistBody({ id: 'new' })],
    ['PUT new', aWatchlistBody({ id: 'new' })],
    ['POST punks/rules', aRuleBody({ id: 'new' })],
  ])(
    'the response to %s reports whether values are past the threshold, and the forecast',
    async (request, body) => {
      const { ask } = await withList();

      const { status, body: reported } = await ask(request, { body });

      expect(status).toBe(201);
      expect(reported.forecast).toMatchObject({
        watches: [
          {
            contract: PUNKS,
            forecast: { code: 'fires', conditions: [{ value: '55', beyond: true }] },
          },
        ],
        leftOut: 0,
        warnings: [],
        cadence: AS_PROMISED,
      });
    },
  );

  it('the forecast of a created list is limited to 100 watches, and counts the others', async () => {
    const { ask } = world();
    const contracts = Array.from(
      { length: 40 },
      (_, index) => `eth:0x${index.toString(16).padStart(40, '0')}`,
    );
    const rules = Array.from({ length: 10 }, (_, index) => aRuleBody({ id: `rule-${index}` }));

    const { body } = await ask('PUT new', { body: { name: 'Large', contracts, rules } });

    expect(body.forecast.watches).toHaveLength(100);
    expect(body.forecast.leftOut).toBe(300);
  });
});
