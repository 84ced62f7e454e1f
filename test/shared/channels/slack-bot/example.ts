import type { ChannelExample } from '#test/support/channel-example.ts';

const TOKEN = 'xoxb-0123456789012-0123456789012-abcDEF0123456789abcdefgh';
const said = (error: string) => JSON.stringify({ ok: false, error });

export const slackBotExample: ChannelExample<'slack_bot'> = {
  written: { id: 'a', kind: 'slack_bot', token: TOKEN, channel: 'C0123ABCD' },
  elsewhere: { id: 'a', kind: 'slack_bot', token: TOKEN, channel: 'C0123ABCE' },
  ...{ secrets: [TOKEN], isForPeople: true, isByTopic: false },
  refused: [
    TOKEN.replace('xoxb', 'xoxp'),
    `Bearer ${TOKEN}`,
    `${TOKEN}\n`,
    `${TOKEN}\r\nx: y`,
    ` ${TOKEN}`,
    TOKEN.slice(0, 20),
  ].map((token) => [{ token }, 'token', 'expected a bot token']),
  chat: {
    path: '/api/chat.postMessage',
    to: 'C0123ABCD',
    // A 429 contains the number of seconds to wait.
    answers: [
      {
        ...{ status: 200, body: '{"ok":true,"channel":"C0123ABCD","ts":"1503435956.000247"}' },
        means: { kind: 'sent', shows: '1503435956.000247' },
      },
      {
        ...{ status: 200, body: said('is_archived') },
        means: { kind: 'gone', reason: 'HTTP 200 is_archived' },
      },
      {
        ...{ status: 200, body: said('not_in_channel') },
        means: { kind: 'gone', reason: 'HTTP 200 not_in_channel' },
      },
      {
        ...{ status: 200, body: said('invalid_blocks') },
        means: { kind: 'refused', reason: 'HTTP 200 invalid_blocks' },
      },
      {
        ...{ status: 200, body: said('internal_error') },
        means: { kind: 'failed', reason: 'HTTP 200 internal_error' },
      },
      { status: 200, body: '<html>', means: { kind: 'failed', reason: 'HTTP 200' } },
      {
        ...{ status: 429, headers: { 'retry-after': '30' }, body: said('ratelimited') },
        means: { kind: 'failed', reason: 'HTTP 429 ratelimited', retryAfterSeconds: 30 },
      },
    ],
  },
};
