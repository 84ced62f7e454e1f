import { acknowledgedAlert, acknowledgedNews } from '#shared/domain/alerting/acknowledged-alert.ts';
import type { AlertKind } from '#shared/domain/alerting/alert.ts';
import { hasOpenEpisode } from '#shared/domain/alerting/alert-action.ts';
import { escalatedAlert } from '#shared/domain/alerting/escalated-alert.ts';
import { digestOf, type Notification } from '#shared/domain/alerting/notification.ts';
import { channelOffAlert, sampleAlert } from '#shared/domain/channels/channel-alerts.ts';
import { newChannelRecord, turnedOff } from '#shared/domain/channels/channel-record.ts';
import type { Cause } from '#shared/domain/evaluation/cause.ts';
import { describeAlert, ruleWords } from '#shared/domain/evaluation/describe-alert.ts';
import { posted, summarized } from '#shared/domain/evaluation/outbox.ts';
import type { Watch } from '#shared/domain/evaluation/watch.ts';
import { HOUR, MINUTE } from '#shared/domain/market/instant.ts';
import type { PricePoint } from '#shared/domain/market/point.ts';
import { type Reported, reportAlert } from '#shared/domain/watchlists/list-report.ts';
import { membersAlert } from '#shared/domain/watchlists/members-alert.ts';
import { APES, anAlertInWords, aPrice, aTrade, aWatch, eth, NOON } from '#test/support/builders.ts';

type Given = Parameters<typeof aWatch>[0];
type Example = { readonly what: string; readonly notification: Notification };

const panic = { name: 'Bored Ape Yacht Club', label: 'Apes panic line' };
const FIRING = { state: 'firing', firedAt: NOON - 31 * MINUTE, episode: 1 } as const;
const floorOf = (price: string, usd: string, minutes = 0): PricePoint =>
  aPrice(price, {
    ...{ usd: eth(usd), source: 'opensea', time: NOON + minutes * MINUTE },
  });

/** The floor moves, and a watch of the Apes reports it. */
function aMove(kind: AlertKind, price: PricePoint, given: Given, cause: Partial<Cause> = {}) {
  const before = floorOf('12.73', '38500.12', -30);
  const known = new Map([['floor' as const, [before, price]]]);
  const watch = aWatch({
    ...{ contract: APES, list: 'desk', rule: 'floor-12', episode: 1, ...given },
    ruleCondition: { threshold: eth('12'), ...given?.ruleCondition },
    presentation: { name: 'Apes', severity: 'critical', ...given?.presentation },
  });
  return describeAlert(watch, kind, watch.episode + 1, {
    ...{ time: NOON, now: NOON + MINUTE, known, all: known, late: false },
    // There is a value before where a price is what has moved the watch.
    ...(cause.clock === undefined && cause.closing === undefined && cause.noValue === undefined
      ? { before: { known: new Map([['floor' as const, [before]]]), time: NOON - 30 * MINUTE } }
      : {}),
    ...cause,
  });
}

const DOWN = floorOf('11.94', '36113.9');
const BACK = floorOf('12.4', '37505');

/** A collection of a report, with its floors. */
function aReported(
  name: string,
  prices: readonly (string | undefined)[],
  given: Partial<Reported> = {},
): Reported {
  const floors = prices.map((price) => (price === undefined ? undefined : floorOf(price, '36000')));
  return { name, floors, newest: floors.at(-1), fired: [], ...given };
}

/** A watch that waits for new floors. */
function noData(kind: AlertKind, given: Given, minutes: string, newest: PricePoint) {
  const age = { metric: 'data_age_minutes', unit: 'minutes', when: 'above' } as const;
  return aMove(
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

/** Two conditions that must hold together, of which the second does not hold any more. */
function joint(kind: AlertKind, sold: string, given: Given) {
  const also = {
    ...({ metric: 'lowest_price.1d', unit: 'eth' } as const),
    condition: { when: 'below', threshold: eth('11') } as const,
  };
  const known = new Map([
    ['floor', [floorOf('12.73', '38500.12', -30), DOWN]],
    ['lowest.1d', [aTrade(sold, NOON - HOUR)]],
  ] as const);
  return aMove(kind, DOWN, { ruleCondition: { also: [also] }, ...given }, { known, all: known });
}

function summary() {
  const watch: Watch = aWatch({
    ...{ contract: APES, list: 'desk', rule: 'floor-12', ...FIRING },
    ruleCondition: { threshold: eth('12') },
    presentation: { name: 'Apes', severity: 'critical' },
  });
  const held = [
    aMove('fired', DOWN, {}),
    aMove('recovered', BACK, FIRING),
    aMove('fired', DOWN, { episode: 1 }),
  ].reduce((before, alert) => posted(before, alert, NOON), watch);
  const muted = { ...held, folded: { counts: {}, muted: true } };
  return summarized(muted, ruleWords(muted, undefined), NOON + HOUR).outbox.slice(0, 1);
}

/** What people do, or do not do, about an episode. */
function escalation() {
  const fired = aMove('fired', DOWN, {});
  const about = {
    ...{ tenant: 'acme', list: 'desk', rule: 'floor-12', contract: APES },
    ...{ generation: fired.generation, episode: 1 },
  };
  const by = { id: 'link:hall', name: 'Ada' };
  const acknowledgement = {
    ...({ ...about, at: NOON + 5 * MINUTE, by, silences: 'worsening', note: 'on it' } as const),
  };
  const acknowledged = acknowledgedAlert(acknowledgement, fired);
  return [
    ['escalated', escalatedAlert(fired, NOON, NOON + 15 * MINUTE)],
    ['acknowledged', acknowledgedNews(acknowledged, fired)],
  ] as const;
}

const desk = { list: { tenant: 'acme', id: 'desk' }, channel: 'chat' };
const off = turnedOff(newChannelRecord('acme#desk#chat', NOON), 'it answered 410', NOON);

/** Each kind of alert, made as the product makes it. */
const ALERTS = [
  ['fired', aMove('fired', DOWN, {})],
  ['fired, of a rule with a label', aMove('fired', DOWN, { presentation: panic })],
  ['fired, of a crossing', aMove('fired', DOWN, { ruleCondition: { when: 'crosses' } })],
  [
    'fired, of a change',
    aMove(
      'fired',
      DOWN,
      {
        ruleCondition: { metric: 'floor_change_pct.1h', threshold: eth('-5') },
        presentation: { severity: 'info' },
      },
      { known: new Map([['floor', [floorOf('12.73', '38500.12', -90), DOWN]]]) },
    ),
  ],
  ['fired, of a rule with two conditions', joint('fired', '10.5', {})],
  [
    'fired late, after a floor that was held back',
    aMove(
      'fired',
      DOWN,
      {},
      {
        late: true,
        heldBack: { outlier: floorOf('11.8', '35690', -5), stood: floorOf('12.73', '38500.12') },
      },
    ),
  ],
  ['worsened', aMove('worsened', floorOf('10.9', '32968'), FIRING)],
  ['reminder', aMove('reminder', DOWN, FIRING)],
  [
    'reminder of a value that is back, and not far enough',
    aMove('reminder', BACK, { ...FIRING, ruleCondition: { recover: eth('13') } }),
  ],
  [
    'recovered',
    aMove('recovered', BACK, FIRING, {
      all: new Map([['floor', [floorOf('11.2', '33875', -20), BACK]]]),
    }),
  ],
  ['recovered, of a rule with two conditions', joint('recovered', '11.5', FIRING)],
  ['closed', aMove('closed', DOWN, FIRING, { closing: 'changed' })],
  ['stale', noData('fired', {}, '372', floorOf('12.73', '38500.12', -372))],
  ['fresh', noData('recovered', FIRING, '0', DOWN)],
  [
    'stale, of a contract without any price',
    aMove(
      'stale',
      DOWN,
      { episode: 0 },
      {
        noValue: { why: 'the provider does not know this contract', isAnyReported: false },
        ...{ known: new Map(), all: new Map() },
      },
    ),
  ],
  ...summary().map((alert) => ['summary', alert] as const),
  [
    'expired',
    anAlertInWords(
      {
        ...{ kind: 'expired', watchlist: 'desk', rule: 'floor-12', open: null, episode: null },
        ...{ contract: null, name: null, value: null, previous: null, usd: null, source: null },
      },
      { label: 'Apes panic line' },
    ),
  ],
  ...escalation(),
  ['channel_off', channelOffAlert(desk, off)],
  [
    'members',
    membersAlert(
      desk.list,
      { address: `0x${'d8'.repeat(20)}`, isPending: false, leftOut: 3 },
      {
        ...{ revision: 7, at: NOON },
        joined: { count: 12, names: ['Apes', 'Simulated Birds'] },
        left: { count: 1, names: ['[Free](https://example.com) @here'] },
      },
    ),
  ],
  [
    'report',
    reportAlert(
      { tenant: 'acme', id: 'desk', name: 'Blue chips' },
      { every: 'day', at: '08:00' },
      NOON,
      [
        aReported('Apes', ['13.1', '12.9', '12.73', '12.7', '12.4', '12.1', '11.9', '11.94'], {
          fired: ['floor-12', 'floor-12'],
        }),
        aReported('Punks', [undefined, '44', '44', '44.5', '44.5', '45', '45', '45.5']),
        aReported('Birds', ['2.1', '2', undefined, undefined], {
          newest: floorOf('2', '6050', -50 * 60),
        }),
        aReported('New', [undefined]),
      ],
    ),
  ],
  ['test', sampleAlert(desk, 1, NOON)],
] as const;

const alerts = ALERTS.flatMap(([what, alert]) => (alert === undefined ? [] : [{ what, alert }]));

const CRASH = ['Azuki', 'Doodles', 'Pudgy Penguins', 'Milady', 'Moonbirds'].map((name, index) =>
  anAlertInWords({
    ...{ id: `w${index}.1.1`, contract: `eth:0x${String(index).repeat(40)}`, name },
    ...{ value: `${55 - 4 * index}.4`, usd: null },
  }),
);

/** As it is signed, roughly: by another key each message would change. */
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
    what: 'quiet hours are over, in the time zone of the list',
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
