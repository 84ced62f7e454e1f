import type { ChannelExample } from '#test/support/channel-example.ts';

const DISCORD = 'https://discord.com/api/webhooks/1234567890123456789/abc-DEF_0123456789';
const PATH = '/api/webhooks/1234567890123456789/abc-DEF_0123456789?wait=true';
const OTHER_FORMS = [
  DISCORD.replace('https', 'http'),
  DISCORD.replace('discord.com', 'discordapp.com'),
  DISCORD.replace('discord.com', 'discord.com:443'),
  DISCORD.replace('discord.com', 'ptb.discord.com'),
  DISCORD.replace('discord.com', 'discord.com@evil.example'),
  DISCORD.replace('/123', '/x123'),
  ...[`${DISCORD}/slack`, `${DISCORD}?wait=true`, `${DISCORD}#x`],
  'https://hooks.slack.com/services/T0123ABCD/B0123ABCD/abcDEF0123456789abcdefgh',
];

export const discordExample: ChannelExample<'discord'> = {
  written: { id: 'a', kind: 'discord', url: DISCORD },
  elsewhere: { id: 'a', kind: 'discord', url: `${DISCORD}2` },
  ...{ secrets: [DISCORD], isForPeople: true, isByTopic: false },
  refused: OTHER_FORMS.map((url) => [{ url }, 'url', 'expected https:']),
  chat: {
    path: PATH,
    to: '1234567890123456789',
    answers: [
      { status: 200, body: '{"id":"1"}', means: { kind: 'sent', shows: '1' } },
      {
        ...{ status: 404, body: '{"message":"Unknown Webhook","code":10015}' },
        means: { kind: 'gone', reason: 'HTTP 404 code 10015' },
      },
      {
        ...{ status: 400, body: '{"message":"Cannot send an empty message","code":50006}' },
        means: { kind: 'refused', reason: 'HTTP 400 code 50006' },
      },
      {
        ...{ status: 429, body: '{"message":"…","retry_after":29.1,"global":false}' },
        means: { kind: 'failed', reason: 'HTTP 429', retryAfterSeconds: 30 },
      },
    ],
  },
};
