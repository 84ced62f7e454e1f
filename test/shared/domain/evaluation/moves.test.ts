import { describe, expect, it } from 'vitest';
import { evaluateSteps } from '#shared/domain/evaluation/evaluate-watch.ts';
import { stepNow } from '#shared/domain/evaluation/snapshot.ts';
import { thresholdIndexOf, waitingOf } from '#shared/domain/evaluation/watch.ts';
import { GREATEST } from '#shared/domain/market/decimal.ts';
import { MINUTE } from '#shared/domain/market/instant.ts';
import { ALL } from '#shared/domain/rules/threshold-index.ts';
import { anAnsweredRecord, aPrice, aWatch, eth, linesSaid } from '#test/support/builders.ts';
import { aPolledWatch, poll, textsOf, timeOf } from '#test/support/polled-watch.ts';

const both = {
  all: [
    { metric: 'floor_price', when: 'below', threshold: '60' },
    { metric: 'lowest_price.1d', when: 'below', threshold: '50' },
  ],
};

describe('joint conditions', () => {
  it.each([
    ['joint conditions fire if each of them holds', '59, sale 50', 'firing'],
    ['joint conditions do not fire if one does not hold', '59, sale 51', 'ok'],
    ['joint conditions do not fire if one does not hold and another is unknown', '61', 'ok'],
    ['joint conditions do not fire if no sale is left in the window', '59, no sale', 'ok'],
    ['joint conditions are unknown while one is unknown and no other is false', '59', 'unknown'],
  ])('%s', (_promise, answer, state) => {
    expect(poll(aPolledWatch(both), `12:00 ${answer}`).watch.state).toBe(state);
  });

  it('a joint rule is in the index `all` during an episode, and otherwise in the index of the first false condition', () => {
    const firing = poll(aPolledWatch(both), '12:00 59, sale 49').watch;
    const resting = poll(aPolledWatch(both), '12:00 59, sale 55').watch;

    expect([thresholdIndexOf(firing), waitingOf(firing)]).toEqual([ALL, { falling: GREATEST }]);
    expect([thresholdIndexOf(resting).metric, waitingOf(resting)]).toEqual([
      'lowest_price.1d',
      { falling: eth('50') },
    ]);
  });

  it('a joint rule without an episode is in the index `all` if no condition is known to be false', () => {
    const resting = poll(aPolledWatch(both), '12:00 61').watch;
    const lacking = poll(aPolledWatch(both), '12:00 61', '12:01 59').watch;

    expect(waitingOf(resting)).toEqual({ falling: eth('60') });
    expect([lacking.state, thresholdIndexOf(lacking), waitingOf(lacking)]).toEqual([
      'ok',
      ALL,
      { falling: GREATEST },
    ]);
  });

  it('the recovery of a joint rule names the false condition', () => {
    const { alerts } = poll(aPolledWatch(both), '12:00 59, sale 49', '12:05 sale 55');

    const [, recovered] = alerts;
    expect(recovered && linesSaid(recovered).slice(0, 6)).toEqual([
      'Resolved: eth:0xb47e3c…3bbb below 60 ETH and 1 more condition: now 59 ETH, lasted 5 min',
      'Condition 1: floor price 59 ETH (at or below 60 ETH)',
      'Condition 2: lowest sale in 1 day 55 ETH (not met: at or below 50 ETH)',
      'Recovered: not all conditions hold',
      'Since: 2026-11-21 12:00 UTC',
      'Distance: 1 ETH (1.6%) below 60 ETH',
    ]);
  });

  it('the recovery of a joint rule shows that no sale is left', () => {
    const { alerts } = poll(aPolledWatch(both), '12:00 59, sale 49', '12:05 no sale');

    expect(textsOf({ alerts })).toEqual(['12:00 fired 59', '12:05 recovered 59']);
    expect(alerts.at(-1)?.facts).toContainEqual({
      name: 'Condition 2',
      value: 'lowest sale in 1 day none (not met: at or below 50 ETH)',
    });
  });

  it('an alert of a joint rule does not show an unknown condition as unmet', () => {
    const answers = ['12:00 59, sale 49', '12:05 61, sale 49000 usdc'];

    const { alerts } = poll(aPolledWatch(both), ...answers);

    expect(alerts.at(-1)?.facts.slice(0, 2)).toEqual([
      { name: 'Condition 1', value: 'floor price 61 ETH (not met: at or below 60 ETH)' },
      { name: 'Condition 2', value: 'lowest sale in 1 day unknown (at or below 50 ETH)' },
    ]);
  });
});

it('an episode lasts zero seconds if its end has an earlier data time than its start', () => {
  const rule = { when: 'below', threshold: '60', for: '30m' };
  const answers = ['12:00 59', '12:31', '12:35 65@12:20'];

  const { alerts } = poll(aPolledWatch(rule), ...answers);

  expect(textsOf({ alerts })).toEqual(['12:31 fired 59', '12:20 recovered 65']);
  expect(alerts.at(-1)?.duration).toBe('0s');
});

it('a timer evaluates a window with floors that were fetched after the watch became pending', () => {
  const floor = aPrice('50', { time: timeOf('12:00'), observedAs: 'price' });
  const watch = aWatch({
    ruleCondition: { metric: 'floor_change_pct.1h', threshold: eth('-10'), for: 10 * MINUTE },
    ...{ state: 'pending', stateSince: timeOf('12:00') },
  });
  const now = timeOf('12:11');
  const timed = (before: string) => {
    const recorded = new Map([
      ['floor' as const, [aPrice(before, { time: timeOf('10:30') }), floor]],
    ]);
    const step = stepNow(anAnsweredRecord('floor', floor), now);
    return textsOf(evaluateSteps(watch, [step], { recorded }, { now, cadenceMinutes: 30 }));
  };

  expect(timed('62.5')).toEqual(['12:11 fired -20']);
  expect(timed('55')).toEqual([]);
});
