import { describe, expect, it } from 'vitest';
import { answerAt, aRule, floorAt, inShort, live, minute, tenths } from './small-market.ts';
import { createWatchState } from './watch.ts';

const NEW = createWatchState(minute(-1));

describe('a rule with "for" over an outage', () => {
  const rule = aRule({
    ...{ metric: 'floor_price', when: 'below', threshold: '10', recover: '11', for: '10m' },
  });
  const before = answerAt(0, { floors: [floorAt(0, 95)] });

  it('fires at the first answer after its end if the value is still beyond', () => {
    const answers = [before, answerAt(30, { floors: [floorAt(28, 94)] })];

    const { alerts } = live(rule, NEW, answers);

    expect(inShort(alerts)).toEqual(['fired 28']);
  });

  it('skips the alert if the first answer is on the good side', () => {
    const answers = [before, answerAt(30, { floors: [floorAt(28, 105)] })];

    expect(live(rule, NEW, answers).alerts).toEqual([]);
  });

  it('reports the duration, the extreme and the value before with the recovery', () => {
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
  it('makes a floor in another currency an unknown value, which ends a wait', () => {
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

  it('decides for each clause whether a floor is another price', () => {
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

describe('an answer that lacks a part of the rule', () => {
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

  it('lets no timer pass', () => {
    const partial = answerAt(12, { answered: ['lowest.1d'], sales: sale(12) });

    const { watch, alerts } = live(rule, NEW, [both, partial]);

    expect(alerts).toEqual([]);
    expect(watch.status).toBe('pending');
    expect(
      inShort(live(rule, NEW, [both, partial, { ...both, asked: minute(13) }]).alerts),
    ).toEqual(['fired 13']);
  });

  it('does not start a watch', () => {
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

  it('closes the open episode after it evaluates earlier prices', () => {
    const { watch, alerts } = live(rule, NEW, answers);

    expect(inShort(alerts)).toEqual(['fired 5', 'closed 10']);
    expect(alerts.at(-1)?.lasted).toBe(minute(5));
    expect(watch.status).toBe('expired');
  });

  it('closes an episode silently with notifyRecovery: false', () => {
    const { alerts } = live({ ...rule, notifyRecovery: false }, NEW, answers);

    expect(inShort(alerts)).toEqual(['fired 5']);
  });

  it('keeps a rule active until a poll answers all its parts', () => {
    const partial = answerAt(20, { answered: ['lowest.1d'] });

    expect(live(rule, NEW, [...answers.slice(0, 1), partial]).watch.status).toBe('ok');
  });
});
