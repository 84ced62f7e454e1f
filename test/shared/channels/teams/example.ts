import type { ChannelExample } from '#test/support/channel-example.ts';

const HOST = 'https://abcdef0123456789abcdef01234567.4a.environment.api.powerplatform.com';
const WORKFLOW = '0123456789abcdef0123456789abcdef';
const PATH = `/powerautomate/automations/direct/workflows/${WORKFLOW}/triggers/manual/paths/invoke?api-version=1&sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0&sig=abc-DEF_0123456789abcDEF0123456789abcDEF0123`;
const TEAMS = `${HOST}:443${PATH}`;
const OTHER_FORMS = [
  TEAMS.replace('https', 'http'),
  TEAMS.replace(':443', ':8443'),
  TEAMS.replace('.com', '.com.evil.example'),
  TEAMS.replace('https://', 'https://x@'),
  TEAMS.replace('.environment.api', '.environment-api'),
  TEAMS.replace(HOST, 'https://environment.api.powerplatform.com'),
  TEAMS.replace('powerplatform.com:443/', 'powerplatform.com:443@evil.example/'),
  TEAMS.replace('powerplatform', 'PowerPlatform'),
  TEAMS.replace('/triggers', '/../triggers'),
  TEAMS.replace('/triggers', '//triggers'),
  TEAMS.replace('paths/invoke', 'paths/list'),
  TEAMS.replace('&sig=', '&gis='),
  TEAMS.slice(0, TEAMS.indexOf('?')),
  TEAMS.replace(/sig=.*/, 'sig='),
  ...[`${TEAMS}#x`, `${TEAMS}\n`, ` ${TEAMS}`, `${TEAMS}&url=https://evil.example`],
  'https://acme.webhook.office.com/webhookb2/0123/IncomingWebhook/4567/89ab',
];
const problem = (code: string) =>
  JSON.stringify({ error: { code, message: `Could not execute workflow '${WORKFLOW}'.` } });
const gone = (status: number, code: string) => ({
  ...{ status, body: problem(code) },
  means: { kind: 'gone', reason: `HTTP ${status} ${code}` } as const,
});

export const teamsExample: ChannelExample<'teams'> = {
  written: { id: 'a', kind: 'teams', url: TEAMS },
  elsewhere: {
    ...{ id: 'a', kind: 'teams' },
    url: `https://prod-12.westeurope.logic.azure.com/workflows/${WORKFLOW}/triggers/manual/paths/invoke?api-version=2016-06-01&sig=abc-DEF_0123456789abcDEF0123456789abcDEF0123`,
  },
  ...{ secrets: [TEAMS], isForPeople: true, isByTopic: false },
  refused: OTHER_FORMS.map((url) => [{ url }, 'url', 'expected https:']),
  chat: {
    path: PATH,
    to: WORKFLOW,
    answers: [
      { status: 202, body: '', means: { kind: 'sent' } },
      gone(400, 'WorkflowTriggerIsNotEnabled'),
      gone(401, 'DirectApiAuthorizationRequired'),
      gone(404, 'WorkflowNotFound'),
      {
        ...{ status: 400, body: problem('InvalidRequestContent') },
        means: { kind: 'refused', reason: 'HTTP 400 InvalidRequestContent' },
      },
      {
        ...{ status: 413, body: 'Request Entity too large' },
        means: { kind: 'refused', reason: 'HTTP 413' },
      },
      {
        ...{ status: 429, headers: { 'retry-after': '30' }, body: problem('TooManyRequests') },
        means: { kind: 'failed', reason: 'HTTP 429 TooManyRequests', retryAfterSeconds: 30 },
      },
    ],
  },
};
