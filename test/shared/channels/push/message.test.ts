import { describe, expect, it } from 'vitest';
import { pushMessage } from '#shared/channels/push/message.ts';
import { MOST_PUSH_BYTES } from '#shared/clients/web-push.ts';
import { digestOf } from '#shared/domain/alerting/notification.ts';
import { anAlert, anAlertInWords } from '#test/support/builders.ts';

const ACTIONS = 'https://api.example.com/v1/actions/a-token';
const CHART = 'https://api.example.com/v1/charts/a-token.png';

function messageOf(given: Parameters<typeof anAlert>[0] = {}, more: object = {}) {
  return pushMessage({ kind: 'alert', alert: anAlertInWords(given), ...more });
}

it('a push notification shows the value in its title, then rule and distance, the chart and two buttons', () => {
  const { title, options } = messageOf({}, { chart: CHART, actions: ACTIONS });

  expect(title).toBe('🟠 CryptoPunks below 60 ETH: 59.9 ETH ($181k, −2.2%)');
  expect(options.body.split('\n')).toEqual([
    'Floor price at or below 60 ETH, now 0.1 ETH (0.1%) below',
    'punks · floor-60',
  ]);
  expect(options).toMatchObject({
    image: CHART,
    actions: [
      { action: 'acknowledge', title: 'Acknowledge' },
      { action: 'snooze-1h', title: 'Snooze 1 h' },
    ],
    data: { address: ACTIONS },
  });
});

it('a push notification leaves out Acknowledge for an acknowledged episode, and all buttons without an open episode', () => {
  const acknowledged = messageOf({}, { actions: ACTIONS, isAcknowledged: true });

  expect(acknowledged.options.actions).toEqual([{ action: 'snooze-1h', title: 'Snooze 1 h' }]);
  expect(messageOf().options).toMatchObject({ actions: [], data: { address: null } });
});

describe('push notifications of one episode', () => {
  const episode = { episode: 1, open: true } as const;
  const fired = messageOf({ ...episode, kind: 'fired' });

  it.each<[Parameters<typeof anAlert>[0], boolean]>([
    [{ kind: 'reminder' }, true],
    [{ kind: 'worsened', severity: 'critical' }, true],
    [{ kind: 'worsened', severity: 'warning' }, false],
    [{ kind: 'recovered', open: false }, false],
    [{ kind: 'closed', open: false }, false],
  ])('the alert %j replaces the notification of its episode, and rings: %s', (given, rings) => {
    const { options } = messageOf({ ...episode, ...given });

    expect(options).toMatchObject({ tag: fired.options.tag, renotify: rings, silent: !rings });
  });

  it('another episode has a push notification of its own', () => {
    expect(messageOf({ ...episode, episode: 2 }).options.tag).not.toBe(fired.options.tag);
  });
});

it.each(['x', '*', '"', '🦍', 'Ξ'])(
  'a push notification with the longest texts of %s stays within the size limit',
  (character) => {
    const facts = Array.from({ length: 14 }, () => ({
      ...{ name: character.repeat(200), value: character.repeat(2000) },
    }));
    const alert = anAlert({
      title: character.repeat(2000),
      facts,
      watchlist: character.repeat(40),
    });
    const url = `https://api-of-a-region.example.com/prod/v1/charts/${'c'.repeat(400)}`;

    const messages = [
      pushMessage({ kind: 'alert', alert, chart: url, actions: url }),
      pushMessage(
        digestOf(
          'd1',
          Array.from({ length: 200 }, () => alert),
        ),
      ),
    ];

    for (const message of messages)
      expect(Buffer.byteLength(JSON.stringify(message))).toBeLessThanOrEqual(MOST_PUSH_BYTES);
  },
);
