import type { ChannelExample } from '#test/support/channel-example.ts';

const TOKEN = '123456789:AAabcDEF-ghi_JKL0123456789mnoPQRstu';
const failure = (status: number, description: string, parameters?: object) => ({
  status,
  body: JSON.stringify({ ok: false, error_code: status, description, parameters }),
});

export const telegramExample: ChannelExample<'telegram'> = {
  written: { id: 'a', kind: 'telegram', token: TOKEN, chat: '-1001234567890' },
  elsewhere: { id: 'a', kind: 'telegram', token: TOKEN, chat: '@punks_floor' },
  ...{ secrets: [TOKEN], isForPeople: true, isByTopic: false },
  refused: [
    `bot${TOKEN}`,
    `${TOKEN}/sendMessage`,
    `${TOKEN}\n`,
    ` ${TOKEN}`,
    TOKEN.replace(':', ''),
    TOKEN.replace(':', '/../'),
    TOKEN.slice(0, 20),
    `${TOKEN}?x=1`,
  ].map((token) => [{ token }, 'token', 'expected a bot token']),
  chat: {
    path: `/bot${TOKEN}/sendMessage`,
    to: '-1001234567890',
    answers: [
      { status: 200, body: '{"ok":true,"result":{}}', means: { kind: 'sent' } },
      {
        ...failure(403, 'Forbidden: bot was blocked by the user'),
        means: {
          ...{ kind: 'gone', reason: 'HTTP 403 Forbidden: bot was blocked by the user' },
        },
      },
      {
        ...failure(400, 'Bad Request: chat not found'),
        means: { kind: 'gone', reason: 'HTTP 400 Bad Request: chat not found' },
      },
      {
        ...failure(400, 'Bad Request: message is too long'),
        means: { kind: 'refused', reason: 'HTTP 400 Bad Request: message is too long' },
      },
      {
        ...failure(401, 'Unauthorized'),
        means: { kind: 'gone', reason: 'HTTP 401 Unauthorized' },
      },
      {
        ...failure(429, 'Too Many Requests: retry after 35', { retry_after: 35 }),
        means: { kind: 'failed', reason: 'HTTP 429', retryAfterSeconds: 35 },
      },
    ],
  },
};
