import { describe, expect, it } from 'vitest';
import { worded } from '#shared/domain/alerting/alert-words.ts';
import { sortedFacts } from '#shared/domain/alerting/sorted-facts.ts';
import { EXAMPLES } from '#test/messages/examples.ts';
import { anAlert, anAlertInWords } from '#test/support/builders.ts';

const example = (what: string) => {
  const { notification } = EXAMPLES.find((one) => one.what === what) ?? {};
  if (notification?.kind !== 'alert') throw new Error(`there is no alert "${what}"`);
  return sortedFacts(notification.alert);
};
const namesOf = (facts: readonly { readonly name: string }[]) => facts.map(({ name }) => name);

describe('the reason for an alert', () => {
  it.each([
    ['fired', 'Floor price at or below 12 ETH, now 0.06 ETH (0.5%) below'],
    ['fired, of a crossing', 'Floor price crosses 12 ETH, now 0.06 ETH (0.5%) below'],
    [
      'fired, of a change',
      'Floor price change in 1h at or below −5%, now 1.2 percentage points below',
    ],
    [
      'fired, of a rule with two conditions',
      'Floor price 11.94 ETH (at or below 12 ETH) and lowest sale in 1 day 10.5 ETH (at or below 11 ETH)',
    ],
    ['recovered', 'Floor price at or below 12 ETH, now 0.4 ETH (3.3%) above'],
    ['closed', 'Floor price at or below 12 ETH'],
    ['stale', 'No new floor price for 6 h'],
    ['report', undefined],
  ])('summarizes the reason for an alert (%s) in one line: %s', (what, expected) => {
    expect(example(what).why).toBe(expected);
  });

  it('names the edge of a band that the value has passed', () => {
    const band = { when: 'outside', threshold: '50', value: '49' } as const;
    const condition = 'outside 50 to 120 ETH';
    const words = { condition, conditions: [`floor price ${condition}`] };

    expect(sortedFacts(worded(anAlert(band), words)).why).toBe(
      'Floor price outside 50 to 120 ETH, now 1 ETH (2.0%) below 50 ETH',
    );
  });

  it('shows a value that equals its threshold as "at" the threshold, without a distance', () => {
    expect(sortedFacts(anAlertInWords({ value: '60' })).why).toBe(
      'Floor price at or below 60 ETH, now at 60 ETH',
    );
  });
});

it('separates news and next steps from the facts that explain the value', () => {
  expect(namesOf(example('acknowledged').facts)).toEqual(['Acknowledged', 'Snoozed', 'Note']);
  expect(namesOf(example('closed').facts)).toEqual(['Next']);
  expect(namesOf(example('fired').facts)).toEqual([]);
  expect(namesOf(example('fired').details)).toEqual(['Was', 'In dollars', 'Source']);
});

it('treats each fact of a report as news, whatever the name of the collection', () => {
  const facts = [{ name: 'Condition', value: '2 ETH' }];
  const { why, ...sorted } = sortedFacts({ ...anAlert({ facts }), metric: null });

  expect(why).toBeUndefined();
  expect(sorted).toEqual({ facts, details: [] });
});
