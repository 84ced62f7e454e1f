import { describe, expect, it } from 'vitest';
import type { RuleWords } from '#shared/domain/alerting/alert-words.ts';
import { type Story, wordedSummary } from '#shared/domain/alerting/summary-words.ts';
import { MINUTE } from '#shared/domain/market/instant.ts';
import { anAlert, linesSaid, NOON } from '#test/support/builders.ts';

const BELOW_60 = {
  condition: 'at or below 60 ETH',
  conditions: ['floor price at or below 60 ETH'],
  recover: 'above 60 ETH',
};
const SINCE = '2026-11-20T08:00:00.000Z';
const summaryOf = (
  given: Parameters<typeof anAlert>[0],
  story: Pick<Story, 'counts' | 'firingSince' | 'last'> & Partial<Story>,
  words: Partial<RuleWords> = {},
) =>
  wordedSummary(
    anAlert({ kind: 'summary', open: story.firingSince !== undefined, ...given }),
    { ...BELOW_60, ...words },
    { since: SINCE, ...story },
  );

it('shows the held alerts and the present state in a summary', () => {
  const counts = { fired: 2, worsened: 1, reminder: 3, recovered: 1 };

  expect(linesSaid(summaryOf({}, { counts, firingSince: NOON, last: 'reminder' }))).toEqual([
    'CryptoPunks below 60 ETH: still firing, 7 alerts held back',
    'Held back by a mute: fired 2 times, worsened once, reminded 3 times, recovered once',
    'Held back since: 2026-11-20 08:00 UTC',
    'Condition: floor price at or below 60 ETH',
    'Since: 2026-11-21 12:00 UTC',
    'Value of the last alert: 59.9 ETH',
    'In dollars: $181,000.12',
    'Source: OpenSea',
  ]);
});

it('shows in a summary the newest value, its age, and the threshold of the last alert', () => {
  const alert = anAlert({ threshold: '50', value: '48.5', usd: null, source: null });
  const newest = { alert: { ...alert, dataTime: SINCE }, age: 90 * MINUTE };
  const story = { counts: { fired: 1 }, firingSince: NOON, last: 'fired', newest } as const;

  const summary = summaryOf({ threshold: '60', value: '59', previous: '61' }, story);

  expect(linesSaid(summary)).toContain('Newest value: 48.5 ETH, 1 h 30 min old');
  expect(linesSaid(summary).join('\n')).not.toMatch(/In dollars|Source|59 ETH/);
  expect(summary).toMatchObject({ threshold: '60', value: '48.5', previous: null, usd: null });
  expect(summary.dataTime).toBe(SINCE);
});

it.each<
  readonly [
    what: string,
    counts: Story['counts'],
    firingSince: number | undefined,
    given: Parameters<typeof anAlert>[0],
    title: string,
  ]
>([
  [
    'is still firing',
    { fired: 1 },
    NOON,
    {},
    'CryptoPunks below 60 ETH: still firing, 1 alert held back',
  ],
  [
    'has recovered',
    { fired: 1, recovered: 1 },
    undefined,
    {},
    'Resolved: CryptoPunks below 60 ETH: recovered, 2 alerts held back',
  ],
  [
    'has recovered without an alert',
    { fired: 1 },
    undefined,
    {},
    'Resolved: CryptoPunks below 60 ETH: recovered, 1 alert held back',
  ],
  [
    'was crossed',
    { fired: 3 },
    undefined,
    { when: 'crosses', open: null },
    'CryptoPunks: floor price has crossed 60 ETH, 3 alerts held back',
  ],
])(
  'begins the summary of a watch that %s with its present state',
  (_what, counts, firingSince, given, title) => {
    const last = firingSince === undefined ? 'recovered' : 'fired';

    expect(summaryOf(given, { counts, firingSince, last }).title).toBe(title);
  },
);

it('shows in a summary that no sale is left, and omits unknown facts', () => {
  const lines = linesSaid(
    summaryOf(
      { metric: 'lowest_price.7d', value: null, usd: null, source: null },
      { counts: { recovered: 1 }, firingSince: undefined, last: 'recovered' },
    ),
  );

  expect(lines).toContain('Value of the last alert: no recent sale');
  expect(lines.join('\n')).not.toMatch(/In dollars|Source|\nSince/);
});

describe('summaries of alerts about missing data', () => {
  it.each([
    ['data_age_minutes', NOON, 'still no new floor price', 'Age of the floor price: 6 h'],
    ['data_age_minutes', undefined, 'floor prices are back', 'Age of the floor price: 6 h'],
    ['silence_minutes.7d', NOON, 'still no sales data', 'Time without sales data: 6 h'],
    ['silence_minutes.7d', undefined, 'sales data are back', 'Time without sales data: 6 h'],
  ])(
    'the summary of no-data alerts has the same wording as the alerts: %s %s',
    (metric, firingSince, title, line) => {
      const minutes = { metric, unit: 'minutes', value: '360', usd: null, when: 'above' } as const;
      const last = firingSince === undefined ? 'fresh' : 'stale';
      const story = { counts: { stale: 1, fresh: 1 }, firingSince, last } as const;

      const lines = linesSaid(summaryOf(minutes, story, { missing: 'no new floor price for 1 h' }));

      const resolved = firingSince === undefined ? 'Resolved: ' : '';
      expect(lines[0]).toBe(`${resolved}CryptoPunks: ${title}, 2 alerts held back`);
      expect(lines).toContain(line);
      expect(lines).toContain('Condition: no new floor price for 1 h');
    },
  );

  it.each([
    ['stale', true, 'CryptoPunks: no floor price yet'],
    ['fresh', false, 'Resolved: CryptoPunks: floor price has its first value'],
    ['closed', false, 'Closed: CryptoPunks below 60 ETH'],
  ] as const)(
    'shows in the summary the present state of a watch that never had a value: %s',
    (last, open, title) => {
      const story = { counts: { stale: 1 }, firingSince: undefined, last } as const;

      expect(summaryOf({ value: null, open }, story).title).toBe(`${title}, 1 alert held back`);
    },
  );
});
