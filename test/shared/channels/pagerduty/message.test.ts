import { describe, expect, it } from 'vitest';
import { pagerdutyEvent } from '#shared/channels/pagerduty/message.ts';
import { digestOf } from '#shared/domain/alerting/notification.ts';
import { sampleAlert } from '#shared/domain/channels/channel-alerts.ts';
import { summaryOf } from '#shared/domain/evaluation/summary.ts';
import { anAlert, anAlertInWords, aWatch, NOON, PUNKS } from '#test/support/builders.ts';

const HASH = '0123456789abcdef0123';
const eventOf = (given: Parameters<typeof anAlert>[0] = {}) =>
  pagerdutyEvent({ kind: 'alert', alert: anAlertInWords(given) });
const incidentOf = ({ event_action, dedup_key }: ReturnType<typeof pagerdutyEvent>) =>
  `${event_action} ${dedup_key}`;

it('sends an alert to PagerDuty with its subject, its facts as details, and our links', () => {
  const { payload, links } = eventOf();

  const { custom_details: details, ...rest } = payload;
  expect(rest).toEqual({
    summary: 'CryptoPunks below 60 ETH: 59.9 ETH ($181k, −2.2%)',
    source: PUNKS,
    severity: 'warning',
    timestamp: '2026-11-21T12:01:00.000Z',
    group: 'punks',
    component: 'floor_price',
    class: 'floor-60',
  });
  expect(details).toEqual({
    Why: 'Floor price at or below 60 ETH, now 0.1 ETH (0.1%) below',
    Was: '61.25 ETH',
    Source: 'OpenSea',
    'As of': '2026-11-21 12:00 UTC',
    From: 'punks · floor-60',
    Id: 'Alert: 0123456789abcdef0123.1.1',
  });
  expect(links.map(({ text }) => text)).toEqual(['opensea.io', 'etherscan.io']);
});

it.each(['info', 'warning', 'critical'] as const)(
  'sends the severity of the rule to PagerDuty: %s',
  (severity) => {
    expect(eventOf({ severity }).payload.severity).toBe(severity);
  },
);

describe('the PagerDuty incident of an episode', () => {
  it.each([
    ['fired', 'recovered'],
    ['worsened', 'recovered'],
    ['reminder', 'closed'],
    ['stale', 'fresh'],
  ] as const)('opens one incident per episode, which %s triggers and %s resolves', (kind, end) => {
    const events = [
      eventOf({ kind, id: `${HASH}.4.8`, episode: 3, open: true }),
      eventOf({ kind: end, id: `${HASH}.4.12`, episode: 3, open: false }),
    ];

    expect(events.map(incidentOf)).toEqual([
      `trigger ${HASH}.4.episode-3`,
      `resolve ${HASH}.4.episode-3`,
    ]);
  });

  it('opens one incident if a rule on crossings has no data, and resolves it when data return', () => {
    const events = [
      eventOf({ kind: 'stale', id: `${HASH}.4.1`, episode: null, open: true }),
      eventOf({ kind: 'fresh', id: `${HASH}.4.2`, episode: null, open: false }),
    ];

    expect(events.map(incidentOf)).toEqual([
      `trigger ${HASH}.4.episode-0`,
      `resolve ${HASH}.4.episode-0`,
    ]);
  });

  it.each([
    ['another episode', { episode: 2 }],
    ['another generation', { id: `${HASH}.2.1` }],
    ['another watch', { id: `${HASH.replace('0', '1')}.1.1` }],
  ])('uses another incident for %s', (_of, given) => {
    expect(eventOf(given).dedup_key).not.toBe(eventOf().dedup_key);
  });

  it.each([
    ['firing', 'trigger'],
    ['ok', 'resolve'],
  ] as const)(
    'a summary sets the PagerDuty incident of its episode to the present state (%s): %s',
    (state, action) => {
      const alert = anAlert({ kind: 'reminder', id: `${HASH}.1.7`, episode: 2 });
      const watch = aWatch({ state, firedAt: NOON });

      const summary = summaryOf(alert, { counts: {}, since: alert.dataTime }, watch, undefined);

      expect(summary.kind).toBe('summary');
      expect(incidentOf(pagerdutyEvent({ kind: 'alert', alert: summary }))).toBe(
        `${action} ${HASH}.1.episode-2`,
      );
    },
  );
});

it('opens a separate incident for an alert without duration', () => {
  const list = { tenant: 'acme', id: 'punks' };
  const sample = {
    kind: 'alert',
    alert: sampleAlert({ list, channel: 'pager' }, 1, NOON),
  } as const;

  const events = [eventOf({ episode: null, open: null }), pagerdutyEvent(sample)];

  expect(events.map(incidentOf)).toEqual([`trigger ${HASH}.1.1`, `trigger ${sample.alert.id}`]);
});

it('opens a separate incident for a digest', () => {
  const digest = digestOf('d1', [anAlert(), anAlert({ episode: 2, severity: 'critical' })]);

  const event = pagerdutyEvent(digest);

  expect(incidentOf(event)).toBe('trigger d1');
  expect(event.payload.severity).toBe('critical');
});

it("shortens a summary to PagerDuty's limit without splitting a character", () => {
  const alert = anAlert({ title: '🦍'.repeat(600) });

  const { summary } = pagerdutyEvent({ kind: 'alert', alert }).payload;

  expect(summary.length).toBeLessThanOrEqual(1024);
  expect(summary).toMatch(/^(🦍)+…$/u);
});
