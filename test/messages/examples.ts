import { acknowledgedAlert, acknowledgedNews } from '#shared/domain/alerting/acknowledged-alert.ts';
import type { AlertKind } from '#shared/domain/alerting/alert.ts';
import { hasOpenEpisode } from '#shared/domain/alerting/alert-action.ts';
import { escalatedAlert } from '#shared/domain/alerting/escalated-alert.ts';
import { digestOf, type Notification } from '#shared/domain/alerting/notification.ts';
import { channelOffAlert, sampleAlert } from '#shared/domain/channels/channel-alerts.ts';
import { newChannelRecord, turnedOff } from '#shared/domain/channels/channel-record.ts';
import type { Cause } from '#shared/domain/evaluation/cause.ts';
import { describeAlert } from '#shared/domain/evaluation/describe-alert.ts';
import { summaryOf } from '#shared/domain/evaluation/summary.ts';
import type { Watch } from '#shared/domain/evaluation/watch.ts';
import { HOUR, MINUTE } from '#shared/domain/market/instant.ts';
import type { PricePoint } from '#shared/domain/market/point.ts';
import type { PriceSeriesName } from '#shared/domain/market/price-series.ts';
import { type Reported, reportAlert } from '#shared/domain/watchlists/list-report.ts';
import { membersAlert } from '#shared/domain/watchlists/members-alert.ts';
import {
  APES,
  anAlertInWords,
  aPrice,
  aTrade,
  aWatch,
  eth,
  NOON,
  type WrittenRuleCondition,
} from '#test/support/builders.ts';

type Given = Parameters<typeof aWatch>[0];
/** Names that people and providers give to things. */
export type Called = Readonly<
  Record<'collection' | 'another' | 'list' | 'label' | 'person' | 'note' | 'source', string>
>;
type Example = { readonly what: string; readonly notification: Notification };

const FIRING = { state: 'firing', firedAt: NOON - 31 * MINUTE, episode: 1 } as const;
const floorOf = (price: string, usd: string, minutes = 0): PricePoint =>
  aPrice(price, {
    ...{ usd: eth(usd), source: 'opensea', time: NOON + minutes * MINUTE },
  });

/** An alert of a watch on the Apes about a move of the floor. */
function aMove(
  called: Called,
  kind: AlertKind,
  price: PricePoint,
  given: Given,
  cause: Partial<Cause> = {},
) {
  const before = floorOf('12.73', '38500.12', -30);
  const known = new Map([['floor' as const, [before, price]]]);
  const watch = aWatch({
    ...{ contract: APES, list: 'desk', rule: 'floor-12', episode: 1, ...given },
    ruleCondition: { threshold: eth('12'), ...given?.ruleCondition },
    presentation: { name: called.collection, severity: 'critical', ...given?.presentation },
  });
  return describeAlert(watch, kind, watch.episode + 1, {
    ...{ time: NOON, windowEnd: NOON, now: NOON + MINUTE, known, all: known, late: false },
    // There is a previous value only if a price caused the alert.
    ...(cause.clock === undefined && cause.closing === undefined && cause.noValue === undefined
      ? {
          before: {
            known: new Map([['floor' as const, [before]]]),
            windowEnd: NOON - 30 * MINUTE,
          },
        }
      : {}),
    ...cause,
  });
}

/** A holding of three tokens. */
const HELD = { cost: eth('12.5'), amount: 3n };

const DOWN = floorOf('11.94', '36113.9');
const BACK = floorOf('12.4', '37505');

/** A collection in a report, with its floors. */
function aReported(
  name: string,
  prices: readonly (string | undefined)[],
  given: Partial<Reported> = {},
): Reported {
  const floors = prices.map((price) => (price === undefined ? undefined : floorOf(price, '36000')));
  return { name, floors, newest: floors.at(-1), amount: 0, fired: [], ...given };
}

/** An alert of a no-data watch. */
function noData(
  called: Called,
  kind: AlertKind,
  given: Given,
  minutes: string,
  newest: PricePoint,
) {
  const age = { metric: 'data_age_minutes', unit: 'minutes', when: 'above' } as const;
  return aMove(
    called,
    kind,
    newest,
    {
      rule: 'floor-12~data_age_minutes',
      ruleCondition: { ...age, threshold: eth('360') },
      ...given,
    },
    { clock: eth(minutes), known: new Map([['floor', [newest]]]) },
  );
}

/** An alert about a statistic. */
function ofStatistics(
  called: Called,
  kind: AlertKind,
  ruleCondition: WrittenRuleCondition,
  [before, now]: readonly [
    ReadonlyMap<PriceSeriesName, string>,
    ReadonlyMap<PriceSeriesName, string>,
  ],
) {
  const pointsAt = (values: ReadonlyMap<PriceSeriesName, string>, minutes: number) =>
    new Map(
      [...values].map(([series, value]) => {
        const unit = series.startsWith('sales') ? 'sales' : 'eth';
        return [
          series,
          [aPrice(value, { currency: unit, time: NOON + minutes * MINUTE })],
        ] as const;
      }),
    );
  const known = pointsAt(now, 0);
  const earlier = pointsAt(before, -30);
  const all = new Map(
    [...known].map(([series, points]) => [series, [...(earlier.get(series) ?? []), ...points]]),
  );
  return aMove(
    called,
    kind,
    DOWN,
    {
      ...(kind === 'recovered' ? FIRING : {}),
      ...{ rule: 'market', presentation: { severity: 'info' }, ruleCondition },
    },
    {
      ...{ known, all },
      before: { known: earlier, windowEnd: NOON - 30 * MINUTE },
    },
  );
}

/** An alert of a rule with two joint conditions; `sold` decides whether the second one holds. */
function joint(called: Called, kind: AlertKind, sold: string, given: Given) {
  const also = {
    ...({ metric: 'lowest_price.1d', unit: 'eth' } as const),
    condition: { when: 'below', threshold: eth('11') } as const,
  };
  const known = new Map([
    ['floor', [floorOf('12.73', '38500.12', -30), DOWN]],
    ['lowest.1d', [aTrade(sold, NOON - HOUR)]],
  ] as const);
  return aMove(
    called,
    kind,
    DOWN,
    { ruleCondition: { also: [also] }, ...given },
    { known, all: known },
  );
}

function summary(called: Called) {
  const watch: Watch = aWatch({
    ...{ contract: APES, list: 'desk', rule: 'floor-12', ...FIRING },
    ruleCondition: { threshold: eth('12') },
    presentation: { name: called.collection, severity: 'critical' },
  });
  const [first, last] = [
    aMove(called, 'fired', DOWN, {}),
    aMove(called, 'fired', DOWN, { episode: 1 }),
  ];
  const counts = { fired: 2, recovered: 1 };
  const newest = { alert: aMove(called, 'escalated', BACK, {}), age: 2 * MINUTE };
  return [summaryOf(last, { counts, since: first.dataTime }, watch, newest)];
}

/** The alerts about an escalation and an acknowledgement of an episode. */
function escalation(called: Called) {
  const fired = aMove(called, 'fired', DOWN, {});
  const about = {
    ...{ tenant: 'acme', list: 'desk', rule: 'floor-12', contract: APES },
    ...{ generation: fired.generation, episode: 1 },
  };
  const by = { id: 'link:hall', name: called.person, via: 'Slack #hall' };
  const acknowledgement = {
    ...({ ...about, at: NOON + 5 * MINUTE, by, silences: 'worsening', note: called.note } as const),
  };
  const acknowledged = acknowledgedAlert(acknowledgement, fired);
  const newest = {
    alert: aMove(called, 'escalated', floorOf('11.2', '33900'), {}),
    age: 2 * MINUTE,
  };
  return [
    ['escalated', escalatedAlert(fired, newest, NOON, NOON + 15 * MINUTE)],
    ['acknowledged', acknowledgedNews(acknowledged, fired)],
  ] as const;
}

const desk = { list: { tenant: 'acme', id: 'desk' }, channel: 'chat' };
const off = turnedOff(newChannelRecord('acme#desk#chat', NOON), 'HTTP 410', NOON);

/** Each kind of alert, with these names, created as the product creates it. */
export function alertsCalled(called: Called) {
  const alerts = [
    ['fired', aMove(called, 'fired', { ...DOWN, source: called.source }, {})],
    [
      'fired, of a rule with a label',
      aMove(called, 'fired', DOWN, {
        presentation: { name: 'Bored Ape Yacht Club', label: called.label },
      }),
    ],
    ['fired, of a crossing', aMove(called, 'fired', DOWN, { ruleCondition: { when: 'crosses' } })],
    [
      'fired, of a change',
      aMove(
        called,
        'fired',
        DOWN,
        {
          ruleCondition: { metric: 'floor_change_pct.1h', threshold: eth('-5') },
          presentation: { severity: 'info' },
        },
        { known: new Map([['floor', [floorOf('12.73', '38500.12', -90), DOWN]]]) },
      ),
    ],
    [
      'fired, of a deviation from the average',
      aMove(
        called,
        'fired',
        DOWN,
        {
          ruleCondition: { metric: 'floor_vs_average_pct.1h', threshold: eth('-5') },
          presentation: { severity: 'info' },
        },
        {
          known: new Map([
            ['floor', [floorOf('12.9', '39014.21', -90), floorOf('12.73', '38500.12', -30), DOWN]],
          ]),
        },
      ),
    ],
    ['fired, of a rule with two conditions', joint(called, 'fired', '10.5', {})],
    [
      'fired late, with a floor that was held back as a possible glitch',
      aMove(
        called,
        'fired',
        DOWN,
        {},
        {
          late: true,
          heldBack: {
            outlier: floorOf('11.8', '35690', -5),
            stood: floorOf('12.73', '38500.12'),
            isConfirmed: true,
          },
        },
      ),
    ],
    ['worsened', aMove(called, 'worsened', floorOf('10.9', '32968'), FIRING)],
    ['reminder', aMove(called, 'reminder', DOWN, FIRING)],
    [
      'reminder, with a value that has not reached the recovery threshold',
      aMove(called, 'reminder', BACK, { ...FIRING, ruleCondition: { recover: eth('13') } }),
    ],
    [
      'recovered',
      aMove(called, 'recovered', BACK, FIRING, {
        all: new Map([['floor', [floorOf('11.2', '33875', -20), BACK]]]),
      }),
    ],
    ['recovered, of a rule with two conditions', joint(called, 'recovered', '11.5', FIRING)],
    ['closed', aMove(called, 'closed', DOWN, FIRING, { closing: 'changed' })],
    ['stale', noData(called, 'fired', {}, '372', floorOf('12.73', '38500.12', -372))],
    ['fresh', noData(called, 'recovered', FIRING, '0', DOWN)],
    [
      'stale, of a contract without any price',
      aMove(
        called,
        'stale',
        DOWN,
        { episode: 0 },
        {
          noValue: { why: 'the provider does not have this contract', isAnyReported: false },
          ...{ known: new Map(), all: new Map() },
        },
      ),
    ],
    ...summary(called).map((alert) => ['summary', alert] as const),
    [
      'expired',
      anAlertInWords(
        {
          ...{ kind: 'expired', watchlist: 'desk', rule: 'floor-12', open: null, episode: null },
          ...{ contract: null, name: null, value: null, previous: null, usd: null, source: null },
        },
        { label: called.label },
      ),
    ],
    ...escalation(called),
    ['channel_off', channelOffAlert(desk, off)],
    [
      'members',
      membersAlert(
        desk.list,
        { address: `0x${'d8'.repeat(20)}`, isPending: false, leftOut: 3 },
        {
          ...{ revision: 7, at: NOON },
          joined: { count: 12, names: [called.collection, 'Simulated Birds'] },
          left: { count: 1, names: [called.another] },
        },
      ),
    ],
    [
      'report',
      reportAlert(
        { tenant: 'acme', id: 'desk', name: called.list },
        { every: 'day', at: '08:00' },
        NOON,
        [
          aReported(
            called.collection,
            ['13.1', '12.9', '12.73', '12.7', '12.4', '12.1', '11.9', '11.94'],
            {
              ...{ amount: 2, fired: ['floor-12', 'floor-12'] },
              traded: [
                { series: 'volume.1d', point: aPrice('32.5') },
                { series: 'sales.1d', point: aPrice('41', { currency: 'sales' }) },
              ],
            },
          ),
          aReported(called.another, [undefined, '44', '44', '44.5', '44.5', '45', '45', '45.5'], {
            amount: 1,
          }),
          aReported('Birds', ['2.1', '2', undefined, undefined], {
            newest: floorOf('2', '6050', -50 * 60),
          }),
          aReported('New', [undefined]),
        ],
      ),
    ],
    [
      'fired, of the volume',
      ofStatistics(
        called,
        'fired',
        { metric: 'volume.1d', unit: 'eth', when: 'above', threshold: eth('30') },
        [new Map([['volume.1d', '24.1']]), new Map([['volume.1d', '32.512345678901']])],
      ),
    ],
    [
      'fired, of the number of sales',
      ofStatistics(
        called,
        'fired',
        { metric: 'sales.1d', unit: 'sales', when: 'below', threshold: eth('1') },
        [new Map([['sales.1d', '3']]), new Map([['sales.1d', '0']])],
      ),
    ],
    [
      'recovered, of the number of sales',
      ofStatistics(
        called,
        'recovered',
        { metric: 'sales.1d', unit: 'sales', when: 'below', threshold: eth('1') },
        [new Map([['sales.1d', '0']]), new Map([['sales.1d', '41']])],
      ),
    ],
    [
      'fired, of the average price',
      ofStatistics(
        called,
        'fired',
        { metric: 'average_price.7d', unit: 'eth', when: 'below', threshold: eth('0.8') },
        [
          new Map([
            ['volume.7d', '40'],
            ['sales.7d', '41'],
          ]),
          new Map([
            ['volume.7d', '32.5'],
            ['sales.7d', '41'],
          ]),
        ],
      ),
    ],
    [
      'fired, of a gain in percent',
      aMove(called, 'fired', DOWN, {
        ruleCondition: { metric: 'gain_pct', unit: 'eth', threshold: eth('-4'), holding: HELD },
      }),
    ],
    [
      'recovered, of a gain',
      aMove(
        called,
        'recovered',
        BACK,
        {
          ...FIRING,
          ruleCondition: { metric: 'gain', unit: 'eth', threshold: eth('-1'), holding: HELD },
        },
        { all: new Map([['floor', [floorOf('12.1', '36600', -20), BACK]]]) },
      ),
    ],
    ['test', sampleAlert(desk, 1, NOON)],
  ] as const;
  return alerts.flatMap(([what, alert]) => (alert === undefined ? [] : [{ what, alert }]));
}

const alerts = alertsCalled({
  ...{ collection: 'Apes', another: '[Free](https://example.com) <3 @here', list: 'Blue chips' },
  ...{ label: 'Apes panic line', person: 'Ada', note: 'on it', source: 'opensea' },
});

const CRASH = ['Azuki', 'Doodles', 'Pudgy Penguins', 'Milady', 'Moonbirds'].map((name, index) =>
  anAlertInWords({
    ...{ id: `w${index}.1.1`, contract: `eth:0x${String(index).repeat(40)}`, name },
    ...{ value: `${55 - 4 * index}.4`, usd: null },
  }),
);

/**
 * An example of a signed link; it is constant, because a real signature would change every message.
 */
const ACTIONS =
  'https://api.example.com/prod/v1/actions/WzE3OTYwNDAwMDAwMDAsImFjbWUiLCJkZXNrIl0.c2lnbmVk';

export const EXAMPLES: readonly Example[] = [
  ...alerts.map(({ what, alert }) => ({
    what,
    notification: {
      ...({ kind: 'alert', alert } as const),
      ...(hasOpenEpisode(alert) ? { actions: ACTIONS } : {}),
      ...(alert.kind === 'acknowledged' ? { isAcknowledged: true } : {}),
    },
  })),
  {
    what: 'digest',
    notification: digestOf('digest.1', alerts.map(({ alert }) => alert).slice(0, 12)),
  },
  {
    what: 'end of quiet hours, in the time zone of the list',
    notification: {
      ...digestOf('digest.2', alerts.map(({ alert }) => alert).slice(2, 5), 'quiet'),
      timeZone: 'America/New_York',
    },
  },
  {
    what: 'many contracts of a list fire',
    notification: {
      ...digestOf('digest.3', CRASH),
      of: { name: 'Blue chips', contracts: 40 },
    },
  },
];
