import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSesDouble, type SentEmail } from '#shared/channels/email/double.ts';
import { createEmailSender } from '#shared/clients/email-sender.ts';
import { NOON } from '#test/support/builders.ts';
import { type HttpServer, startHttpServer } from '#test/support/http-server.ts';

const SENDER = 'alerts@example.com';
const signal = new AbortController().signal;
const email = {
  to: 'desk@example.com',
  subject: '🔴 Apes below 12 ETH: 11.94 ETH (−6.2%)',
  text: 'Apes below 12 ETH\n',
  html: '<p>Apes below 12 ETH</p>',
  unsubscribeUrl: 'https://api.example/v1/subscriptions/x.y',
  channel: 'acme#punks#desk',
};
type Answer = { readonly status: number; readonly type?: string; readonly message?: string };

let ses: HttpServer;
let taken: SentEmail[];
let answer: Answer | 'cut' | undefined;
let sandbox: Parameters<typeof createSesDouble>[2];

beforeEach(async () => {
  taken = [];
  answer = undefined;
  sandbox = undefined;
  ses = await startHttpServer((response, request) => {
    if (answer === 'cut') return response.destroy();
    if (answer !== undefined) {
      const { status, type = '', message = '' } = answer;
      return response
        .writeHead(status, { 'x-amzn-ErrorType': type })
        .end(JSON.stringify({ message }));
    }
    const double = createSesDouble(SENDER, () => NOON, sandbox);
    const { status, headers, body, taken: email } = double(request);
    if (email !== undefined) taken.push(email);
    return response.writeHead(status, headers).end(body);
  });
});

afterEach(() => ses[Symbol.asyncDispose]());

function sendFrom(sender: string, url = ses.url) {
  const environment = {
    ...{ AWS_REGION: 'eu-west-1', AWS_ACCESS_KEY_ID: 'AKID', AWS_SECRET_ACCESS_KEY: 's3cret' },
    AWS_ENDPOINT_URL_SESV2: url,
  };
  const settings = { sender, configurationSet: 'floorwatch-dev', now: () => NOON };
  return createEmailSender(environment, settings)(email, signal);
}

describe('an email by SES', () => {
  it('sends an email in text and HTML, with one-click unsubscribe', async () => {
    expect(await sendFrom(SENDER)).toEqual({ kind: 'accepted' });

    const { to, subject, text, html, unsubscribeUrl: unsubscribe } = email;
    expect(taken).toEqual([{ to, subject, text, html, unsubscribe }]);
  });

  it('tags an email with its channel, encoded for SES, so that later events name the channel', async () => {
    await sendFrom(SENDER);

    const { EmailTags, ConfigurationSetName } = JSON.parse(ses.requests[0]?.body ?? '');
    const [{ Name, Value }] = EmailTags;
    expect([Name, Buffer.from(Value, 'base64url').toString()]).toEqual(['channel', email.channel]);
    expect(ConfigurationSetName).toBe('floorwatch-dev');
  });

  it.each([
    { status: 400, type: 'MessageRejected', means: 'SES returned HTTP 400 MessageRejected' },
    {
      status: 400,
      type: 'SendingPausedException:http://x',
      means: 'SES returned HTTP 400 SendingPausedException',
    },
    {
      status: 403,
      type: 'AccessDeniedException',
      means: 'SES returned HTTP 403 AccessDeniedException',
    },
    {
      status: 429,
      type: 'TooManyRequestsException',
      means: 'SES returned HTTP 429 TooManyRequestsException',
    },
  ])('reports an email as rejected if SES answers $status $type', async ({ means, ...given }) => {
    answer = given;

    expect(await sendFrom(SENDER)).toEqual({ kind: 'refused', reason: means });
  });

  const unverifiedSender = 'verify the sender stranger@example.com in this region';
  const unverifiedRecipient =
    'the account is still in the SES sandbox: verify the address of this recipient, or request production access';

  it.each([
    { what: 'sender', sender: 'stranger@example.com', todo: [unverifiedSender] },
    { what: 'recipient', isNew: true, sender: SENDER, todo: [unverifiedRecipient] },
    {
      ...{ what: 'sender and the recipient', isNew: true, sender: 'stranger@example.com' },
      todo: [unverifiedSender, unverifiedRecipient],
    },
  ])(
    'rejects an email with the steps to verify the unverified $what',
    async ({ isNew, sender, todo }) => {
      if (isNew) sandbox = { verified: [] };

      expect(await sendFrom(sender)).toEqual({
        kind: 'refused',
        reason: ['SES returned HTTP 400 MessageRejected', ...todo].join('; '),
      });
      expect(taken).toEqual([]);
    },
  );

  it('sends an email to a verified recipient from the SES sandbox', async () => {
    sandbox = { verified: [email.to] };

    expect(await sendFrom(SENDER)).toEqual({ kind: 'accepted' });
  });

  it.each([
    { said: { status: 503 }, reason: 'SES returned HTTP 503' },
    { said: 'cut', reason: 'SES did not respond: network' },
  ] as const)(
    'reports a failure if SES may have accepted an email: $reason',
    async ({ said, reason }) => {
      answer = said;

      expect(await sendFrom(SENDER)).toEqual({ kind: 'failed', reason });
    },
  );
});
