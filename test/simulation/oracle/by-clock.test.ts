import { describe, expect, it } from 'vitest';
import { type Health, passByClock } from './by-clock.ts';
import { readNoDataRule } from './read-rule.ts';
import type { OracleRule } from './rule.ts';
import { aDocument, answerAt, aRule, floorAt, inShort, live, minute } from './small-market.ts';
import { createWatchState, type ExpectedAlert } from './watch.ts';

const DAY = 24 * 60;
const NEW = createWatchState(0);

/** Evaluates a watch at each poll, and returns its alerts. */
function alertsOf(rule: OracleRule, polls: readonly Health[]): readonly string[] {
  const alerts: ExpectedAlert[] = [];
  let watch = NEW;
  for (const health of polls) {
    const passed = passByClock(rule, watch, health);
    watch = passed.watch;
    alerts.push(...passed.alerts);
  }
  return inShort(alerts);
}

function healthAt(minutes: number, given: Partial<Health> = {}): Health {
  return { now: minute(minutes), newestFloor: undefined, answered: [], noDataSince: {}, ...given };
}

describe('the age of data', () => {
  const rule = aRule({ metric: 'data_age_minutes', when: 'above', threshold: '10' });

  it('the age of data is measured from the newest floor, or from the start of the watch before the first floor', () => {
    expect(alertsOf(rule, [healthAt(9), healthAt(10)])).toEqual(['fired 10']);
    expect(alertsOf(rule, [healthAt(10, { newestFloor: minute(1) })])).toEqual([]);
  });

  it('a rule on the age of data recovers with a newer floor', () => {
    const polls = [healthAt(10), healthAt(12, { newestFloor: minute(11) })];

    expect(alertsOf(rule, polls)).toEqual(['fired 10', 'recovered 12']);
  });

  it('closes an episode at the expiry of the rule, even without an answered poll', () => {
    const expiring = { ...rule, expiresAt: minute(15) };

    expect(alertsOf(expiring, [healthAt(10), healthAt(16)])).toEqual(['fired 10', 'closed 15']);
  });
});

describe('the no-data watch of a sales series', () => {
  const rule = readNoDataRule(aDocument({ noData: { alert: '10m' } }), 'lowest.7d');
  const answered = { answered: ['lowest.7d' as const] };
  const silent = { ...answered, noDataSince: { 'lowest.7d': minute(5) } };

  it('a no-data watch fires when its series has had no answer for the duration of noData', () => {
    const polls = [healthAt(14, silent), healthAt(15, silent), healthAt(16, answered)];

    expect(alertsOf(rule, polls)).toEqual(['fired 15', 'recovered 16']);
  });

  it('a no-data watch without any answer measures the time from its start', () => {
    expect(alertsOf(rule, [healthAt(9), healthAt(10)])).toEqual(['fired 10']);
  });
});

describe('a missing first value', () => {
  const rule = aRule({ metric: 'floor_price', when: 'below', threshold: '10' });

  it('sends one stale alert if a watch has no value a day after its creation', () => {
    const polls = [healthAt(DAY - 1), healthAt(DAY + 3), healthAt(DAY + 4)];

    expect(alertsOf(rule, polls)).toEqual([`stale ${DAY}`]);
  });

  it('sends a fresh alert with the first value, before the alert that this value fires', () => {
    const { watch } = passByClock(rule, NEW, healthAt(DAY));
    const answer = answerAt(DAY + 5, { floors: [floorAt(DAY + 5, 90)] });

    const { alerts } = live(rule, watch, [answer]);

    expect(inShort(alerts)).toEqual([`fresh ${DAY + 5}`, `fired ${DAY + 5}`]);
    expect(alerts.map(({ episode }) => episode)).toEqual([0, 1]);
  });

  it('sends no stale alert for a rule with noData, or if the rule expires within the day', () => {
    const polls = [healthAt(DAY + 3)];
    const withNoData = { ...rule, reportsMissingValue: false };

    expect(alertsOf(withNoData, polls)).toEqual([]);
    expect(alertsOf({ ...rule, expiresAt: minute(DAY) }, polls)).toEqual([]);
  });
});

it('ends a rule a day after its expiry if no poll is answered', () => {
  const rule = aRule({
    ...{ metric: 'floor_price', when: 'below', threshold: '10' },
    expiresAt: new Date(minute(10)).toISOString(),
  });
  const { watch } = live(rule, NEW, [answerAt(5, { floors: [floorAt(5, 90)] })]);

  const early = passByClock(rule, watch, healthAt(DAY + 9));
  const ended = passByClock(rule, watch, healthAt(DAY + 10));

  expect(early.alerts).toEqual([]);
  expect(inShort(ended.alerts)).toEqual(['closed 10']);
  expect(ended.watch.status).toBe('expired');
});
