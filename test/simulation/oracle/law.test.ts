import { describe, expect, it } from 'vitest';
import { answerAt, aRule, floorAt, inShort, live, minute, tenths } from './small-market.ts';
import { createWatchState } from './watch.ts';

const NEW = createWatchState(minute(-1));

describe('a rule with "for" over an outage', () => {
  const rule = aRule({
    ...{ metric: 'floor_price', when: 'below', threshold: '10', recover: '11', for: '10m' },
  });
  const before = answerAt(0, { floors: [floorAt(0, 95)] });

  it('a rule with "for" fires at the first answer after the end of "for" if the condition is still met', () => {
    const answers = [before, answerAt(30, { floors: [floorAt(28, 94)] })];

    const { alerts } = live(rule, NEW, answers);

    expect(inShort(alerts)).toEqual(['fired 28']);
  });

  it('a rule with "for" skips its alert if the first answer does not meet the condition', () => {
    const answers = [before, answerAt(30, { floors: [floorAt(28, 105)] })];

    expect(live(rule, NEW, answers).alerts).toEqual([]);
  });

  it('a recovery has the duration, the extreme and the previous value', () => {
    const answers = [
      before,
      answerAt(30, { floors: [floorAt(28, 94)] }),
      answerAt(35, { floors: [floorAt(35, 92)] }),
      answerAt(40, { floors: [floorAt(40, 112)] }),
    ];

    const { alerts } = live(rule, NEW, answers);

    expect(alerts.at(-1)).toEqual({
      ...{ kind: 'recovered', value: tenths(112), time: minute(40), at: minute(40), seq: 5 },
      ...{ episode: 1, newsAt: minute(40), previous: tenths(92), line: tenths(100) },
      ...{ usd: undefined, lasted: minute(12), extreme: tenths(92) },
    });
  });
});

describe('the unit of a clause', () => {
  it('a floor in another currency is an unknown value, which ends a pending state', () => {
    const rule = aRule({ metric: 'floor_price', when: 'below', threshold: '10', for: '10m' });
    const other = floorAt(5, 95, { currency: 'usdc' });

    const { watch, alerts } = live(rule, NEW, [
      answerAt(0, { floors: [floorAt(0, 95)] }),
      answerAt(5, { floors: [other] }),
      answerAt(11),
    ]);

    expect(alerts).toEqual([]);
    expect(watch.status).toBe('ok');
  });

  it('the unit of a clause decides whether a floor is a changed price', () => {
    const floor = (minutes: number, price: number, rate: number) =>
      floorAt(minutes, price, { usd: tenths(price * rate) });
    const answers = [
      answerAt(20, { floors: [floor(0, 90, 3000), floor(20, 125, 3000)] }),
      answerAt(50, { floors: [floor(50, 100, 3000)] }),
      answerAt(61),
      answerAt(81, { floors: [floor(81, 100, 2900)] }),
    ];
    const drop = { metric: 'floor_drop_pct.1h', when: 'above', threshold: '20' };

    expect(inShort(live(aRule({ ...drop, unit: 'usd' }), NEW, answers).alerts)).toEqual([
      'fired 81',
    ]);
    expect(inShort(live(aRule(drop), NEW, answers).alerts)).toEqual([]);
  });
});

describe('an answer that lacks a series of the rule', () => {
  const rule = aRule({
    all: [
      { metric: 'floor_price', when: 'below', threshold: '10' },
      { metric: 'lowest_price.1d', when: 'below', threshold: '10' },
    ],
    for: '10m',
  });
  const sale = (minutes: number) => ({ 'lowest.1d': floorAt(minutes, 90) });
  const both = answerAt(0, {
    ...{ answered: ['floor', 'lowest.1d'], floors: [floorAt(0, 95)], sales: sale(0) },
  });

  it('no timer expires with an answer that lacks a series of the rule', () => {
    const partial = answerAt(12, { answered: ['lowest.1d'], sales: sale(12) });

    const { watch, alerts } = live(rule, NEW, [both, partial]);

    expect(alerts).toEqual([]);
    expect(watch.status).toBe('pending');
    expect(
      inShort(live(rule, NEW, [both, partial, { ...both, asked: minute(13) }]).alerts),
    ).toEqual(['fired 13']);
  });

  it('an answer that lacks a series of the rule does not start a watch', () => {
    const partial = answerAt(12, { answered: ['lowest.1d'], sales: sale(12) });

    expect(live(rule, createWatchState(minute(5)), [both, partial]).watch.status).toBe('unknown');
  });
});

it('starts a watch at the first poll after its creation', () => {
  const rule = aRule({ metric: 'floor_price', when: 'below', threshold: '10' });
  const answers = [answerAt(0, { floors: [floorAt(0, 95)] }), answerAt(5)];

  expect(live(rule, createWatchState(minute(0)), answers.slice(0, 1)).alerts).toEqual([]);
  expect(inShort(live(rule, createWatchState(minute(0)), answers).alerts)).toEqual(['fired 5']);
});

describe('the end of a rule', () => {
  const document = { metric: 'floor_price', when: 'below', threshold: '10' };
  const rule = aRule({ ...document, expiresAt: new Date(minute(10)).toISOString() });
  const answers = [
    answerAt(0, { floors: [floorAt(0, 105)] }),
    answerAt(20, { floors: [floorAt(5, 95), floorAt(15, 105)] }),
  ];

  it('the end of a rule closes the open episode after earlier prices are evaluated', () => {
    const { watch, alerts } = live(rule, NEW, answers);

    expect(inShort(alerts)).toEqual(['fired 5', 'closed 10']);
    expect(alerts.at(-1)?.lasted).toBe(minute(5));
    expect(watch.status).toBe('expired');
  });

  it('the end of a rule with notifyRecovery: false closes the episode without an alert', () => {
    const { alerts } = live({ ...rule, notifyRecovery: false }, NEW, answers);

    expect(inShort(alerts)).toEqual(['fired 5']);
  });

  it('a rule stays active after its end until a poll answers all its series', () => {
    const partial = answerAt(20, { answered: ['lowest.1d'] });

    expect(live(rule, NEW, [...answers.slice(0, 1), partial]).watch.status).toBe('ok');
  });
});
