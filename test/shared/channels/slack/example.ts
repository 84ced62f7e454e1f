import type { ChannelExample } from '#test/support/channel-example.ts';

const SLACK = 'https://hooks.slack.com/services/T0123ABCD/B0123ABCD/abcDEF0123456789abcdefgh';
const PATH = '/services/T0123ABCD/B0123ABCD/abcDEF0123456789abcdefgh';
const OTHER_FORMS = [
  SLACK.replace('https', 'http'),
  SLACK.replace('.com', '.com:443'),
  SLACK.replace('.com', '.com.evil.example'),
  SLACK.replace('hooks', 'x@hooks'),
  SLACK.replace('hooks.slack.com', 'hooks.slack.com@evil.example'),
  SLACK.replace('hooks.slack', 'hooks.Slack'),
  SLACK.replace('services', 'workflows'),
  SLACK.replace('/T', '/../T'),
  ...[`${SLACK}?x=1`, `${SLACK}#x`, `${SLACK}/`, `${SLACK}\n`, ` ${SLACK}`],
  'https://discord.com/api/webhooks/1234567890123456789/abc-DEF_0123456789',
];

export const slackExample: ChannelExample<'slack'> = {
  written: { id: 'a', kind: 'slack', url: SLACK },
  elsewhere: { id: 'a', kind: 'slack', url: `${SLACK}2` },
  ...{ secrets: [SLACK], isForPeople: true, isByTopic: false },
  refused: OTHER_FORMS.map((url) => [{ url }, 'url', 'expected https:']),
  chat: {
    path: PATH,
    to: 'T0123ABCD/B0123ABCD',
    answers: [
      { status: 200, body: 'ok', means: { kind: 'sent' } },
      {
        ...{ status: 410, body: 'channel_is_archived' },
        means: { kind: 'gone', reason: 'HTTP 410 channel_is_archived' },
      },
      {
        ...{ status: 404, body: 'no_service' },
        means: { kind: 'gone', reason: 'HTTP 404 no_service' },
      },
      {
        ...{ status: 400, body: 'invalid_blocks' },
        means: { kind: 'refused', reason: 'HTTP 400 invalid_blocks' },
      },
      {
        ...{ status: 429, headers: { 'retry-after': '30' }, body: 'rate_limited' },
        means: { kind: 'failed', reason: 'HTTP 429 rate_limited', retryAfterSeconds: 30 },
      },
    ],
  },
};
