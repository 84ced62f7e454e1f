import { describe, expect, it } from 'vitest';
import { alertsOf, aPolledWatch, clockOf, poll, textsOf } from '#test/support/polled-watch.ts';

/** A rule, the polls of its contract, and the alerts that it sends. */
type Example = readonly [
  promise: string,
  rule: Parameters<typeof aPolledWatch>[0],
  polls: readonly string[],
  alerts: readonly string[],
];

/** Each element of `polls` is one poll of the provider; `polled-watch.ts` describes the syntax. */
function examples(name: string, table: readonly Example[]): void {
  it.each(table)(`${name} %s`, (_promise, rule, polls, alerts) => {
    expect(alertsOf(rule, ...polls)).toEqual(alerts);
  });
}

const below = { when: 'below', threshold: '10' } as const;
const above = { when: 'above', threshold: '10' } as const;
const change = { metric: 'floor_change_pct.1h', when: 'below', threshold: '-10' } as const;
const floor = { metric: 'floor_price' } as const;
const sale = { metric: 'lowest_price.1d' } as const;

describe('the worked example: `below 10, recover 11, for 10m`', () => {
  const rule = { ...below, recover: '11', for: '10m' };
  const outage = ['12:00 9.5', '12:10 down', '12:20 down'];

  it('the watch is pending from the first floor below the threshold', () => {
    const { watch } = poll(aPolledWatch(rule), ...outage);

    expect([watch.state, clockOf(watch.stateSince ?? 0)]).toEqual(['pending', '12:00']);
  });

  it('the first answer after an outage fires the watch if it is still below the threshold', () => {
    const alerts = alertsOf(rule, ...outage, '12:30 9.4@12:28', '12:40 11.2');

    expect(alerts).toEqual(['12:28 fired 9.4', '12:40 recovered 11.2']);
  });

  it('the first answer after an outage ends the pending state without an alert if it is above the threshold', () => {
    expect(alertsOf(rule, ...outage, '12:30 10.5@12:28')).toEqual([]);
  });
});

examples('a threshold', [
  ['of `below` is met by an equal value', below, ['12:00 11', '12:01 10'], ['12:01 fired 10']],
  ['of `above` is met by an equal value', above, ['12:00 9', '12:01 10'], ['12:01 fired 10']],
  [
    'is met by the first value of a new rule',
    below,
    ['12:00 9', '12:01 11'],
    ['12:00 fired 9', '12:01 recovered 11'],
  ],
  [
    'starts one episode for all values that meet it in a row',
    below,
    ['12:00 11', '12:01 9', '12:02 8', '12:03 11', '12:04 9'],
    ['12:01 fired 9', '12:03 recovered 11', '12:04 fired 9'],
  ],
  [
    'is compared with each new floor of an answer, oldest first',
    below,
    ['12:00 11', '12:30 9@12:10, 11@12:20, 9@12:30'],
    ['12:10 fired 9', '12:20 recovered 11', '12:30 fired 9'],
  ],
  [
    'is not compared with floors from before the first answer',
    below,
    ['12:00 9@11:00, 11@11:30'],
    [],
  ],
  [
    'is not compared with a price that is reported later for an earlier time',
    below,
    ['12:00 11', '12:30 12', '12:40 9@12:20'],
    [],
  ],
]);

examples('`recover`', [
  [
    'ends the episode at an equal value',
    { ...below, recover: '12' },
    ['12:00 9', '12:01 11', '12:02 12'],
    ['12:00 fired 9', '12:02 recovered 12'],
  ],
  [
    'of `above` is below the threshold',
    { ...above, recover: '8' },
    ['12:00 11', '12:01 9', '12:02 8'],
    ['12:00 fired 11', '12:02 recovered 8'],
  ],
]);

const outside = { when: 'outside', low: '10', high: '12' } as const;
const inside = { when: 'inside', low: '10', high: '12' } as const;

examples('a band', [
  [
    'includes its edges, so `outside` does not fire on them',
    outside,
    ['12:00 10', '12:01 12', '12:02 13', '12:03 12', '12:04 9'],
    ['12:02 fired 13', '12:03 recovered 12', '12:04 fired 9'],
  ],
  [
    'includes its edges, so `inside` fires on them',
    inside,
    ['12:00 9', '12:01 10', '12:02 13', '12:03 12'],
    ['12:01 fired 10', '12:02 recovered 13', '12:03 fired 12'],
  ],
  [
    'continues the episode of `outside` if the price jumps from one side to the other',
    outside,
    ['12:00 11', '12:01 13', '12:02 9.5', '12:03 11'],
    ['12:01 fired 13', '12:03 recovered 11'],
  ],
]);

const crosses = { when: 'crosses', threshold: '10' } as const;

examples('`crosses`', [
  [
    'sends one alert for each crossing',
    crosses,
    ['12:00 9', '12:01 11', '12:02 12', '12:03 9'],
    ['12:01 fired 11', '12:03 fired 9'],
  ],
  [
    'keeps its side at an equal value',
    crosses,
    ['12:00 9', '12:01 10', '12:02 9', '12:03 10', '12:04 11'],
    ['12:04 fired 11'],
  ],
  [
    'has no side until a value differs from the threshold',
    crosses,
    ['12:00 10', '12:01 11', '12:02 9'],
    ['12:02 fired 9'],
  ],
  [
    'of a window does not fire when an old price leaves the window',
    { metric: 'floor_change_pct.1h', when: 'crosses', threshold: '-5' },
    ['12:00 10', '13:00 10', '13:30 9', '14:35', '14:40 8.91'],
    ['13:30 fired -10', '14:40 fired -1'],
  ],
]);

examples('`arm: cross`', [
  [
    'waits for a value that does not meet the condition',
    { ...below, arm: 'cross' },
    ['12:00 9', '12:01 8', '12:02 10.5', '12:03 9'],
    ['12:03 fired 9'],
  ],
  [
    'is armed by a first value that does not meet the condition',
    { ...below, arm: 'cross' },
    ['12:00 11', '12:01 9'],
    ['12:01 fired 9'],
  ],
  [
    'is armed by a value between threshold and recovery threshold',
    { ...below, recover: '12', arm: 'cross' },
    ['12:00 9', '12:01 10.5', '12:02 9'],
    ['12:02 fired 9'],
  ],
]);

examples('`for`', [
  [
    'fires with the first answer at its end, with the time of that answer',
    { ...below, for: '10m' },
    ['12:00 11', '12:01 9', '12:05', '12:11'],
    ['12:11 fired 9'],
  ],
  [
    'fires with a new point after its end',
    { ...below, for: '10m' },
    ['12:00 11', '12:01 9', '12:15 8'],
    ['12:15 fired 8'],
  ],
  [
    'starts at the data time of the point, so it may be over at the next answer',
    { ...below, for: '10m' },
    ['12:00 11', '12:30 9@12:15'],
    ['12:30 fired 9'],
  ],
  [
    'does not start before the creation of the rule',
    { ...below, for: '10m', made: '11:55' },
    ['12:00 9@11:00', '12:05'],
    ['12:05 fired 9'],
  ],
  [
    'restarts after a value that does not meet the condition',
    { ...below, for: '10m' },
    ['12:00 9', '12:05 11', '12:06 9', '12:10', '12:15', '12:16'],
    ['12:16 fired 9'],
  ],
  [
    'is cancelled by a point from before its end, even in the answer at its end',
    { ...below, for: '10m' },
    ['12:00 9', '12:10 11@12:09'],
    [],
  ],
  [
    'continues during an outage',
    { ...below, for: '10m' },
    ['12:00 9', '12:05 down', '12:30 down', '12:31'],
    ['12:31 fired 9'],
  ],
  [
    'is cancelled by an unknown value',
    { ...below, for: '10m' },
    ['12:00 9', '12:05 9000 usdc', '12:06 9', '12:10', '12:16'],
    ['12:16 fired 9'],
  ],
]);

examples('`keepFor`', [
  [
    'ends the episode when the value has been recovered for this long',
    { ...below, keepFor: '10m' },
    ['12:00 9', '12:01 11', '12:11'],
    ['12:00 fired 9', '12:11 recovered 11'],
  ],
  [
    'restarts after a value that has not recovered, in the same episode',
    { ...below, keepFor: '10m' },
    ['12:00 9', '12:01 11', '12:05 9', '12:06 11', '12:11', '12:16'],
    ['12:00 fired 9', '12:16 recovered 11'],
  ],
  [
    'waits for the recovery threshold',
    { ...below, recover: '12', keepFor: '10m' },
    ['12:00 9', '12:01 11', '12:20', '12:21 12', '12:31'],
    ['12:00 fired 9', '12:31 recovered 12'],
  ],
  [
    'restarts after an unknown value',
    { ...below, keepFor: '10m' },
    ['12:00 9', '12:01 11', '12:05 9000 usdc', '12:11', '12:12 11', '12:22'],
    ['12:00 fired 9', '12:22 recovered 11'],
  ],
  [
    'continues during an outage',
    { ...below, keepFor: '10m' },
    ['12:00 9', '12:01 11', '12:11 down', '12:40'],
    ['12:00 fired 9', '12:40 recovered 11'],
  ],
  [
    'defaults to an hour for a percentage',
    { metric: 'sale_discount_pct.1d', when: 'above', threshold: '20' },
    ['12:00 10, sale 7.5', '12:10 9', '12:20', '13:09', '13:10'],
    ['12:00 fired 25', '13:10 recovered 16.666666666666666666'],
  ],
  [
    'defaults to an hour for joint conditions if one is a percentage',
    {
      all: [
        { ...floor, ...below },
        { metric: 'floor_change_pct.1h', when: 'below', threshold: '50' },
      ],
    },
    ['12:00 10', '13:00 9', '13:10 11', '14:09', '14:10'],
    ['13:00 fired 9', '14:10 recovered 11'],
  ],
]);

const twoOfThree = { ...below, confirm: { times: 2, of: 3 } } as const;

examples('`confirm` two of three', [
  ['fires at the second point', twoOfThree, ['12:00 9', '12:01 11', '12:02 9'], ['12:02 fired 9']],
  ['counts equal values', twoOfThree, ['12:00 9', '12:01 9'], ['12:01 fired 9']],
  ['counts each point once', twoOfThree, ['12:00 9', '12:01 9@12:00', '12:02'], []],
  [
    'ignores points before the last three',
    twoOfThree,
    ['12:00 9', '12:01 11', '12:02 11', '12:03 9'],
    [],
  ],
  [
    'does not count unknown values',
    twoOfThree,
    ['12:00 9', '12:01 9000 usdc', '12:02 9000 usdc', '12:03 11', '12:04 9'],
    ['12:04 fired 9'],
  ],
  [
    'counts a revision instead of the revised point',
    twoOfThree,
    ['12:00 9', '12:01 11', '12:02 9.5@12:01'],
    ['12:01 fired 9.5'],
  ],
  [
    'no longer counts a point whose revision does not meet the condition',
    twoOfThree,
    ['12:00 9', '12:01 11@12:00', '12:02 11', '12:03 9'],
    [],
  ],
  [
    'restarts after an episode',
    twoOfThree,
    ['12:00 9', '12:01 9', '12:02 11', '12:03 9', '12:04 9'],
    ['12:01 fired 9', '12:02 recovered 11', '12:04 fired 9'],
  ],
]);

const both = {
  all: [
    { ...floor, ...below },
    { ...sale, when: 'below', threshold: '8' },
  ],
};

examples('`all`', [
  [
    'fires when the last condition becomes true',
    both,
    ['12:00 9, sale 9', '12:01 sale 8'],
    ['12:01 fired 9'],
  ],
  [
    'is evaluated with the floor and the sale of one poll together',
    both,
    ['12:00 11, sale 7', '12:01 9, sale 9', '12:02'],
    [],
  ],
  [
    'ends as soon as one condition is false',
    both,
    ['12:00 9, sale 7', '12:01 11'],
    ['12:00 fired 9', '12:01 recovered 11'],
  ],
  [
    'is false if one condition is false and another unknown',
    both,
    ['12:00 9, sale 7', '12:01 11, sale 7000 usdc'],
    ['12:00 fired 9', '12:01 recovered 11'],
  ],
  [
    'is unknown if one condition is unknown and none is false',
    both,
    ['12:00 9, sale 7', '12:01 9, sale 7000 usdc'],
    ['12:00 fired 9'],
  ],
  [
    'ends after `keepFor` if no sale is left',
    { ...both, keepFor: '10m' },
    ['12:00 9, sale 7', '12:01 no sale', '12:11'],
    ['12:00 fired 9', '12:11 recovered 9'],
  ],
  [
    'waits with `arm: cross` until one condition was false',
    { ...both, arm: 'cross' },
    ['12:00 9, sale 7', '12:01 8.5', '12:02 11', '12:03 8'],
    ['12:03 fired 8'],
  ],
]);

const fallen = { metric: 'floor_vs_average_pct.1h', when: 'below', threshold: '-5' } as const;
const risen = { metric: 'floor_vs_average_pct.1h', when: 'above', threshold: '1' } as const;

examples('a moving average', [
  [
    'needs the price at the start of its window',
    fallen,
    ['12:00 60', '12:30 54', '13:00 54.15'],
    ['13:00 fired -5'],
  ],
  [
    'ends an episode without a new price, an hour after the poll that detected the recovery',
    fallen,
    ['12:00 60', '13:00 54', '13:31', '13:32', '14:31', '14:32'],
    ['13:00 fired -10', '14:32 recovered 0'],
  ],
  [
    'continues an episode that has not been recovered for long enough',
    { ...risen, threshold: '5', keepFor: '30m' },
    ['12:00 50', '12:20 70', '12:40 50', '13:00 63', '13:20', '13:40', '14:00', '14:29', '14:30'],
    ['13:00 fired 11.176470588235294117', '14:30 recovered 0'],
  ],
  [
    'starts no episode without a new price',
    risen,
    ['12:00 60', '12:50 45', '13:00 54', '13:45', '13:46 54'],
    [],
  ],
  [
    'starts an episode with the next changed price',
    risen,
    ['12:00 60', '12:50 45', '13:00 54', '13:45', '13:50 63'],
    ['13:50 fired 20'],
  ],
  [
    'has no value until a price in another currency has left the window',
    fallen,
    ['12:00 60', '12:30 200 usdc', '13:00 54', '13:59', '14:00 51.3'],
    ['14:00 fired -5'],
  ],
  [
    'counts a revision instead of the revised price',
    fallen,
    ['12:00 60', '13:00 54', '13:05 58.5@13:00', '14:05'],
    ['13:00 fired -10', '14:05 recovered 0'],
  ],
]);

examples('a window', [
  [
    'needs the price at its start for a change',
    change,
    ['12:00 10', '12:30 8', '13:00 8.5'],
    ['13:00 fired -15'],
  ],
  [
    'computes a drawdown from the recorded prices, even without one at its start',
    { metric: 'floor_drawdown_pct.1h', when: 'above', threshold: '10' },
    ['12:00 10', '12:30 8'],
    ['12:30 fired 20'],
  ],
  [
    'computes a run-up from the recorded prices, even without one at its start',
    { metric: 'floor_runup_pct.1h', when: 'above', threshold: '10' },
    ['12:00 10', '12:30 12'],
    ['12:30 fired 20'],
  ],
  [
    'starts no episode without a new price',
    { metric: 'floor_change_pct.1h', when: 'above', threshold: '10' },
    ['12:00 10', '12:30 8', '13:00 10', '13:40', '13:50 10'],
    [],
  ],
  [
    'starts an episode with the next changed price',
    { metric: 'floor_change_pct.1h', when: 'above', threshold: '10' },
    ['12:00 10', '12:30 8', '13:00 10', '13:40', '13:50 10.4'],
    ['13:50 fired 30'],
  ],
  [
    'ends an episode without a new price, an hour after the poll that detected the recovery',
    change,
    ['12:00 10', '13:00 9', '14:05', '15:04', '15:05'],
    ['13:00 fired -10', '15:05 recovered 0'],
  ],
  [
    'fires at the end of `for` without a new price, if a changed price started the wait',
    { ...change, for: '10m' },
    ['12:00 10', '13:00 9', '13:10 9'],
    ['13:10 fired -10'],
  ],
  [
    'fires with the first value of a new rule',
    { ...change, made: '13:10' },
    ['12:00 10', '13:00 9', '13:05', '13:15'],
    ['13:15 fired -10'],
  ],
  [
    'ends at the data time of the new floor of a poll',
    change,
    ['12:00 10', '12:10 8.5', '13:20 8.5@13:05'],
    ['13:05 fired -15'],
  ],
  [
    'cancels `for` without a new price',
    { ...change, for: '61m' },
    ['12:00 10', '13:00 9', '14:01'],
    [],
  ],
  [
    'no longer has the old price at the end of a `for` as long as the window',
    { ...change, for: '1h' },
    ['12:00 10', '13:00 9', '14:00'],
    [],
  ],
  [
    'of a new rule has only the prices of the last hour',
    { ...change, made: '14:05' },
    ['12:00 10', '13:00 9', '14:10'],
    [],
  ],
  [
    'leaves a band only with a changed price',
    { metric: 'floor_change_pct.1h', when: 'outside', low: '-5', high: '5', made: '12:05' },
    ['11:00 11', '11:20 10', '12:10 11', '12:30', '12:40 11.2'],
    ['12:40 fired 12'],
  ],
  [
    'excludes glitches',
    { metric: 'floor_drawdown_pct.1h', when: 'above', threshold: '10' },
    ['12:00 10', '12:10 20', '12:20 10', '12:30 9.5'],
    [],
  ],
  [
    'includes glitches with `outliers: "take"`',
    { metric: 'floor_drawdown_pct.1h', when: 'above', threshold: '10', outliers: 'take' },
    ['12:00 10', '12:10 20', '12:20 10'],
    ['12:20 fired 50'],
  ],
  [
    'with `confirm` requires a changed price at the last point',
    { ...change, confirm: { times: 2, of: 2 } },
    ['12:00 10', '13:00 9', '13:10 9'],
    [],
  ],
  [
    'with `confirm` fires at the second point beyond the threshold',
    { ...change, confirm: { times: 2, of: 2 } },
    ['12:00 10', '13:00 9', '13:10 8.5'],
    ['13:10 fired -15'],
  ],
]);

examples('`steps`', [
  [
    'alert at each further 10% from the last reported value',
    { ...below, steps: '10' },
    ['12:00 10', '12:01 9.5', '12:02 9', '12:03 8.2', '12:04 8.1', '12:05 11'],
    ['12:00 fired 10', '12:02 worsened 9', '12:04 worsened 8.1', '12:05 recovered 11'],
  ],
  [
    'do not alert if a price is short of a step by the finest unit',
    { ...below, steps: '5' },
    ['12:00 9.999999999999999999', '12:01 9.5', '12:02 9.499999999999999999'],
    ['12:00 fired 9.999999999999999999', '12:02 worsened 9.499999999999999999'],
  ],
  [
    'are percentage points for a percentage',
    { metric: 'sale_discount_pct.1d', when: 'above', threshold: '20', steps: '10' },
    ['12:00 10, sale 7.5', '12:01 sale 6.6', '12:02 sale 6.5'],
    ['12:00 fired 25', '12:02 worsened 35'],
  ],
  [
    'do not alert if a window moves without a new price',
    { metric: 'floor_change_pct.1h', when: 'above', threshold: '10', steps: '10' },
    ['12:00 10', '12:10 8', '13:00 11', '13:20'],
    ['13:00 fired 10'],
  ],
  [
    'alert if the value worsens during `keepFor`',
    { ...below, keepFor: '3h', steps: '10' },
    ['12:00 10', '12:01 11', '12:02 8'],
    ['12:00 fired 10', '12:02 worsened 8'],
  ],
]);

const hourly = { ...below, repeat: { reminder: '1h' } } as const;

examples('`repeat`', [
  [
    'of `once` ends the rule after one episode',
    { ...below, repeat: 'once' },
    ['12:00 9', '12:01 11', '12:02 9'],
    ['12:00 fired 9', '12:01 recovered 11'],
  ],
  [
    'reminds at the first answer at or after each hour of the episode',
    hourly,
    ['12:07 9', '13:06', '13:07', '14:20', '15:07'],
    ['12:07 fired 9', '13:07 reminder 9', '14:20 reminder 9', '15:07 reminder 9'],
  ],
  [
    'counts the hours from the creation of the rule if its first price is older',
    { ...hourly, made: '11:50' },
    ['12:00 9@09:30', '12:49', '12:50'],
    ['09:30 fired 9', '12:50 reminder 9'],
  ],
  [
    'sends one reminder after an outage, and skips the missed ones',
    hourly,
    ['12:00 9', '13:00 down', '14:00 down', '15:10', '15:20', '16:00'],
    ['12:00 fired 9', '15:10 reminder 9', '16:00 reminder 9'],
  ],
  [
    'skips a reminder while the value is unknown',
    hourly,
    ['12:00 9', '12:50 9000 usdc', '13:00', '13:10 9', '14:00'],
    ['12:00 fired 9', '14:00 reminder 9'],
  ],
  [
    'skips a reminder during `keepFor`',
    { ...hourly, keepFor: '30m' },
    ['12:00 9', '12:50 11', '13:00', '13:10 9', '14:00'],
    ['12:00 fired 9', '14:00 reminder 9'],
  ],
  [
    'sends no reminder in the poll that begins the episode',
    { ...hourly, made: '09:59' },
    ['10:00 11', '12:30 9@10:30', '13:20', '13:30'],
    ['10:30 fired 9', '13:30 reminder 9'],
  ],
  [
    'sends a worsening instead of a reminder',
    { ...hourly, steps: '10' },
    ['12:00 9', '13:00 8', '13:10', '14:00'],
    ['12:00 fired 9', '13:00 worsened 8', '14:00 reminder 8'],
  ],
  [
    'does not measure steps from the value of a reminder',
    { ...hourly, steps: '10' },
    ['12:00 9', '13:00 8.5', '13:10 8.2', '13:20 8.1'],
    ['12:00 fired 9', '13:00 reminder 8.5', '13:20 worsened 8.1'],
  ],
]);

examples('`notifyRecovery: false`', [
  [
    'ends episodes without an alert',
    { ...below, notifyRecovery: false },
    ['12:00 9', '12:01 11', '12:02 9'],
    ['12:00 fired 9', '12:02 fired 9'],
  ],
]);

examples('no sale left', [
  [
    'ends an episode of `above` at once, without `keepFor`',
    { ...sale, ...above, keepFor: '30m' },
    ['12:00 sale 11', '12:10 no sale'],
    ['12:00 fired 11', '12:10 recovered'],
  ],
  [
    'ends an episode of `below` at once, too',
    { ...sale, ...below },
    ['12:00 sale 9', '12:10 no sale'],
    ['12:00 fired 9', '12:10 recovered'],
  ],
  [
    'cancels `for`',
    { ...sale, ...below, for: '10m' },
    ['12:00 sale 9', '12:05 no sale', '12:06 sale 9', '12:10', '12:16'],
    ['12:16 fired 9'],
  ],
  [
    'arms `cross`',
    { ...sale, ...below, arm: 'cross' },
    ['12:00 sale 9', '12:01 no sale', '12:02 sale 8'],
    ['12:02 fired 8'],
  ],
  [
    'ends the episode of a discount',
    { metric: 'sale_discount_pct.1d', when: 'above', threshold: '20' },
    ['12:00 10, sale 7', '12:10 no sale'],
    ['12:00 fired 30', '12:10 recovered'],
  ],
  [
    'ends the episode of a discount even if the floor is unknown',
    { metric: 'sale_discount_pct.1d', when: 'above', threshold: '20' },
    ['12:00 10, sale 7', '12:05 9000 usdc', '12:10 no sale'],
    ['12:00 fired 30', '12:10 recovered'],
  ],
  ['counts as a first value, and fires nothing', { ...sale, ...above }, ['12:00 no sale'], []],
]);

examples('a number of sales', [
  [
    'fires when it falls to 0, and recovers at its recovery threshold',
    { metric: 'sales.1d', when: 'below', threshold: '1', recover: '3' },
    ['12:00 3 sold', '12:01 0 sold', '12:02 2 sold', '12:03 4 sold'],
    ['12:01 fired 0', '12:03 recovered 4'],
  ],
  [
    'has no previous value if it is 0 in the first answer',
    { metric: 'sales.1d', when: 'below', threshold: '1' },
    ['12:00 0 sold', '12:01 5 sold'],
    ['12:00 fired 0', '12:01 recovered 5'],
  ],
  [
    'worsens down to 0, and no further',
    { metric: 'sales.1d', when: 'below', threshold: '4', steps: '50' },
    [
      '12:00 9 sold',
      '12:01 4 sold',
      '12:02 2 sold',
      '12:03 0 sold',
      '12:04 1 sold',
      '12:05 0 sold',
    ],
    ['12:01 fired 4', '12:02 worsened 2', '12:03 worsened 0'],
  ],
  [
    'crosses its threshold from 0',
    { metric: 'sales.1d', when: 'crosses', threshold: '2' },
    ['12:00 0 sold', '12:01 3 sold', '12:02 0 sold'],
    ['12:01 fired 3', '12:02 fired 0'],
  ],
]);

examples('an unknown value', [
  [
    'is a sale below a hundredth of the threshold',
    { ...sale, ...below },
    ['12:00 sale 11', '12:01 sale 0.09', '12:02 sale 0.1'],
    ['12:02 fired 0.1'],
  ],
  [
    'is a sale below a hundredth of the lower edge of a band',
    { ...sale, ...outside },
    ['12:00 sale 11', '12:01 sale 0.09', '12:02 sale 0.1'],
    ['12:02 fired 0.1'],
  ],
  [
    'is a sale below a hundredth of the floor, for a discount',
    { metric: 'sale_discount_pct.1d', when: 'above', threshold: '20' },
    ['12:00 20, sale 19', '12:01 sale 0.19', '12:02 sale 0.2'],
    ['12:02 fired 99'],
  ],
  [
    'is a sale below `ignoreBelow`',
    { ...sale, ...below, ignoreBelow: '5' },
    ['12:00 sale 11', '12:01 sale 4', '12:02 sale 5'],
    ['12:02 fired 5'],
  ],
  ['is a price in another currency', below, ['12:00 11', '12:01 9 usdc', '12:02 12'], []],
  [
    'is a floor without its price in dollars, for a rule in dollars',
    { metric: 'floor_price_usd', when: 'below', threshold: '30000' },
    ['12:00 11 $33000', '12:01 9', '12:02 9 $27000'],
    ['12:02 fired 27000'],
  ],
  [
    'keeps an open episode open',
    below,
    ['12:00 9', '12:01 9000 usdc', '12:02 8', '12:03 11'],
    ['12:00 fired 9', '12:03 recovered 11'],
  ],
]);

const untilOne = { ...below, expiresAt: '2026-11-21T13:00:00Z' } as const;

examples('`expiresAt`', [
  [
    'first evaluates points from before the end, then closes the episode',
    untilOne,
    ['12:00 11', '13:10 9@12:59'],
    ['12:59 fired 9', '13:00 closed'],
  ],
  ['ignores points at the end or later', untilOne, ['12:00 11', '13:10 9@13:00'], []],
  [
    'waits for an answer',
    untilOne,
    ['12:00 9', '13:00 down', '13:20'],
    ['12:00 fired 9', '13:00 closed'],
  ],
  [
    'ends the rule after a day without an answer',
    untilOne,
    ['12:00 9', '13:00 down', '36:59 down', '37:00 down'],
    ['12:00 fired 9', '13:00 closed'],
  ],
  [
    'cancels `for` without an alert',
    { ...untilOne, for: '30m' },
    ['12:00 11', '12:40 9', '13:10'],
    [],
  ],
]);

describe('`expiresAt` and the clock', () => {
  it('an expired rule waits a day for an answer', () => {
    const { watch } = poll(aPolledWatch(untilOne), '12:00 9', '13:00 down', '36:59 down');

    expect(watch.admin).toBe('enabled');
  });
});

const age = { metric: 'data_age_minutes', when: 'above', threshold: '60' } as const;

examples('the clock', [
  [
    'fires on old data, whether or not the provider answers',
    age,
    ['12:00 9', '12:59', '13:00 down', '13:10 9'],
    ['13:00 fired 60', '13:10 recovered 0'],
  ],
  [
    'fires nothing at the end of a rule',
    { ...age, expiresAt: untilOne.expiresAt },
    ['12:00 9', '12:30', '13:00 down'],
    [],
  ],
  [
    'reports after a day that a rule has had no value, and later its first value',
    below,
    ['12:00 down', '35:58 down', '35:59 down', '36:10 11'],
    ['35:59 stale', '36:10 fresh 11'],
  ],
  [
    'reports the first value before the alert that it causes',
    below,
    ['35:59 down', '36:10 9'],
    ['35:59 stale', '36:10 fresh 9', '36:10 fired 9'],
  ],
]);

examples('a new, edited or resumed rule', [
  [
    'starts with the first answer requested after the change',
    { ...below, made: '12:05' },
    ['12:00 9', '12:05', '12:06 8'],
    ['12:06 fired 8'],
  ],
  [
    'starts with the known price if that answer has no new one',
    { ...below, made: '12:05' },
    ['12:00 9', '12:06', '12:07 11'],
    ['12:06 fired 9', '12:07 recovered 11'],
  ],
  [
    'starts with the newest floor of that answer, not with each of its floors',
    { ...below, made: '12:05' },
    ['12:00 11', '12:30 9@12:10, 11@12:20'],
    [],
  ],
]);

examples('a suspect', [
  ['fires nothing before it is confirmed', below, ['12:00 11', '12:01 5'], []],
  [
    'fires at its own time once the next price is nearer to it',
    below,
    ['12:00 11', '12:01 5', '12:10 5.1'],
    ['12:01 fired 5'],
  ],
  [
    'is a glitch if the next price is nearer to the price before',
    below,
    ['12:00 11', '12:01 5', '12:10 10.5', '12:20 10.6'],
    [],
  ],
  [
    'ends no episode before it is confirmed',
    below,
    ['12:00 9', '12:01 20', '12:10 9'],
    ['12:00 fired 9'],
  ],
  [
    'delays the end of `for` if it contradicts the condition',
    { ...below, for: '10m' },
    ['12:00 9', '12:05 20', '12:10', '12:15 9'],
    ['12:15 fired 9'],
  ],
  [
    'delays the end of `for` also as a revision of an accepted floor',
    { ...below, for: '10m' },
    ['12:00 11', '12:01 9', '12:02 20@12:01', '12:11', '12:13 8.9'],
    ['12:13 fired 8.9'],
  ],
  [
    'does not delay the end of `for` if it gives the same result',
    { ...below, for: '10m' },
    ['12:00 9', '12:05 5', '12:10'],
    ['12:10 fired 9'],
  ],
  [
    'skips a reminder if it contradicts the condition',
    hourly,
    ['12:00 9', '12:50 20', '13:00', '13:10 9', '14:00'],
    ['12:00 fired 9', '14:00 reminder 9'],
  ],
  [
    'skips a reminder if it would end the episode',
    { ...hourly, recover: '12' },
    ['12:00 9', '12:30 11', '12:50 20', '13:00', '13:10 11', '14:00'],
    ['12:00 fired 9', '14:00 reminder 11'],
  ],
  [
    'prevents a discount against the floor before it',
    { metric: 'sale_discount_pct.1d', when: 'above', threshold: '20' },
    ['12:00 10, sale 9', '12:05 5', '12:10 sale 4.9', '12:15 5.1'],
    [],
  ],
  [
    'is used for a discount once it is confirmed',
    { metric: 'sale_discount_pct.1d', when: 'above', threshold: '20' },
    ['12:00 10, sale 9', '12:05 20', '12:10 20'],
    ['12:05 fired 55'],
  ],
  [
    'takes effect at once with `outliers: "take"`',
    { ...below, outliers: 'take' },
    ['12:00 11', '12:01 5', '12:02 11'],
    ['12:01 fired 5', '12:02 recovered 11'],
  ],
  [
    'takes effect at once if a second source reports it',
    below,
    ['12:00 11', '12:01 5 confirmed'],
    ['12:01 fired 5'],
  ],
]);

const agreed = { ...below, minSources: 2 } as const;

examples('`minSources: 2`', [
  [
    'uses only floors that a second source reports',
    agreed,
    ['12:00 11 confirmed', '12:01 9', '12:02 8 confirmed'],
    ['12:02 fired 8'],
  ],
  [
    'fires at the time of the floor when the second source follows',
    agreed,
    ['12:00 11 confirmed', '12:01 9', '12:06 9@12:01 confirmed'],
    ['12:01 fired 9'],
  ],
  [
    'does not end an episode with a floor of one source',
    agreed,
    ['12:00 9 confirmed', '12:01 11', '12:02 8 confirmed'],
    ['12:00 fired 9'],
  ],
  [
    'cancels `for` at a floor of one source',
    { ...agreed, for: '10m' },
    ['12:00 9 confirmed', '12:05 9', '12:10'],
    [],
  ],
]);

it('a step that was evaluated is not evaluated again', () => {
  const fired = poll(aPolledWatch(below), '12:00 11', '12:01 9');

  const again = poll({ ...fired, record: { ...fired.record } }, '12:02');

  expect(textsOf(again)).toEqual(textsOf(fired));
  expect(again.watch).toBe(fired.watch);
});
