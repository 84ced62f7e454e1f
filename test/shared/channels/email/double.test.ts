import { describe, expect, it } from 'vitest';
import { createSesDouble } from '#shared/channels/email/double.ts';

const SENDER = 'alerts@example.com';
const PATH = '/v2/email/outbound-emails';
const headers = {
  authorization:
    'AWS4-HMAC-SHA256 Credential=AKID/20261125/eu-west-1/ses/aws4_request, SignedHeaders=host, Signature=0',
};
const utf8 = (Data: string) => ({ Data, Charset: 'UTF-8' });
const simple = {
  Subject: utf8('é'),
  Body: { Text: utf8('a'), Html: utf8('<p>a') },
  Headers: [{ Name: 'List-Unsubscribe', Value: '<https://a.example>' }],
};
const message = {
  FromEmailAddress: SENDER,
  Destination: { ToAddresses: ['desk@example.com'] },
  Content: { Simple: simple },
};
const of = (content: object) => ({ ...message, Content: { Simple: { ...simple, ...content } } });

function post(body: object, ses = createSesDouble(SENDER, () => 0)) {
  return ses({ method: 'POST', path: PATH, headers, body: JSON.stringify(body) });
}

describe('the SES fake', () => {
  it('the SES fake accepts and delivers an email', () => {
    expect(post(message)).toMatchObject({
      ...{ status: 200, body: '{"MessageId":"local-1"}' },
      taken: { to: 'desk@example.com', subject: 'é', unsubscribe: undefined },
    });
  });

  it.each([
    ['no receiver', { ...message, Destination: { ToAddresses: [] } }],
    ['an invalid receiver', { ...message, Destination: { ToAddresses: ['desk'] } }],
    ['a subject of two lines', of({ Subject: utf8('a\nb') })],
    ['more than ASCII without a charset', of({ Subject: { Data: 'é' } })],
    ['a header that is not ASCII', of({ Headers: [{ Name: 'X-A', Value: 'é' }] })],
    ['a header of 997 characters', of({ Headers: [{ Name: 'X-A', Value: 'x'.repeat(994) }] })],
    ['sixteen headers', of({ Headers: Array(16).fill({ Name: 'X-A', Value: 'x' }) })],
    ['a tag with a dot', { ...message, EmailTags: [{ Name: 'a', Value: 'a.b' }] }],
    ['an unknown member', { ...message, Sender: SENDER }],
  ])('the SES fake rejects an email with %s and returns a reason', (_what, body) => {
    const answer = post(body);

    expect(answer).toMatchObject({ status: 400, issue: expect.stringMatching(/^SES: ./) });
    expect(answer.taken).toBeUndefined();
  });

  it('the SES fake rejects an email from an unverified sender or without a signature for SES', () => {
    const ses = createSesDouble(SENDER, () => 0);
    const unsigned = { method: 'POST', path: PATH, headers: {}, body: JSON.stringify(message) };

    expect(post({ ...message, FromEmailAddress: 'b@example.com' }).status).toBe(400);
    expect(ses(unsigned).status).toBe(403);
  });

  it('the SES fake accepts one email a second in the sandbox, only to verified addresses', () => {
    const sandboxed = () => createSesDouble(SENDER, () => 0, { verified: ['desk@example.com'] });
    const ses = sandboxed();
    const stranger = { ...message, Destination: { ToAddresses: ['a@example.com'] } };

    expect([post(message, ses).status, post(message, ses).status]).toEqual([200, 429]);
    expect(post(stranger, sandboxed())).toMatchObject({
      status: 400,
      headers: { 'x-amzn-ErrorType': 'MessageRejected' },
      body: expect.stringMatching(/not verified\. .* region EU-WEST-1: a@example\.com"/),
    });
  });

  it('the SES fake accepts fourteen emails a second', () => {
    let now = 0;
    const ses = createSesDouble(SENDER, () => now);

    const statuses = Array.from({ length: 15 }, () => post(message, ses).status);
    now = 1000;

    expect(statuses.filter((status) => status === 200)).toHaveLength(14);
    expect(statuses.at(-1)).toBe(429);
    expect(post(message, ses).status).toBe(200);
  });
});
