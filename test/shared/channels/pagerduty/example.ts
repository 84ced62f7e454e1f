import type { ChannelExample } from '#test/support/channel-example.ts';

const KEY = '97cabcDEF225141ccbb087b9d35dabcD';
const invalid = (...errors: readonly string[]) => ({
  status: 400,
  body: JSON.stringify({ status: 'invalid event', message: 'Event object is invalid', errors }),
});

export const pagerdutyExample: ChannelExample<'pagerduty'> = {
  written: { id: 'a', kind: 'pagerduty', routingKey: KEY },
  elsewhere: { id: 'a', kind: 'pagerduty', routingKey: KEY.replace('97c', '97d') },
  ...{ secrets: [KEY], isForPeople: false, isByTopic: false },
  refused: [
    KEY.slice(1),
    `${KEY}0`,
    `${KEY}\n`,
    ` ${KEY}`,
    KEY.replace('97c', 'e+2'),
    KEY.replace('97c', '9_c'),
    KEY.replace('97c', '9é7'),
    'https://events.pagerduty.com/v2/enqueue',
  ].map((routingKey) => [{ routingKey }, 'routingKey', 'expected a 32-character integration key']),
  chat: {
    path: '/v2/enqueue',
    to: '/v2/enqueue',
    secondsAfter429: 120,
    answers: [
      {
        ...{ status: 202, means: { kind: 'sent' } },
        body: '{"status":"success","message":"Event processed","dedup_key":"a.1.episode-1"}',
      },
      {
        ...{ status: 400, body: 'Invalid routing key' },
        means: { kind: 'gone', reason: 'HTTP 400 Invalid routing key' },
      },
      {
        ...invalid("'routing_key' cannot contain non-alphanumeric characters."),
        means: { kind: 'gone', reason: 'HTTP 400 routing_key' },
      },
      {
        ...invalid("'payload.summary' is missing or blank"),
        means: { kind: 'refused', reason: 'HTTP 400 payload.summary' },
      },
      {
        ...{ status: 429, body: '' },
        means: { kind: 'failed', reason: 'HTTP 429', retryAfterSeconds: 120 },
      },
      { status: 500, body: '', means: { kind: 'failed', reason: 'HTTP 500' } },
    ],
  },
};
