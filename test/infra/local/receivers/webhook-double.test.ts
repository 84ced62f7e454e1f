import { Webhook } from 'standardwebhooks';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  CLOSED,
  createWebhookDouble,
  type WebhookPost,
} from '#infra/local/receivers/webhook-double.ts';
import { closeServer, listen } from '#infra/local/runtime/loopback.ts';
import { alertMessage } from '#shared/domain/alerting/alert-message.ts';
import { anAlert } from '#test/support/builders.ts';

/**
 * The standardwebhooks library compares timestamps with real time, so the fake uses real time, too.
 */
const now = Math.floor(Date.now() / 1000) * 1000;
const secretOf = (text: string) => `whsec_${Buffer.from(text.repeat(32)).toString('base64')}`;
const [secret, other] = [secretOf('a'), secretOf('b')];
const alert = alertMessage({ kind: 'alert', alert: anAlert({ kind: 'fired' }) });
const body = JSON.stringify(alert);

describe('the fake of a webhook', () => {
  it.each([
    { what: 'its secret', secrets: [secret] },
    { what: 'its secret beside another', secrets: [other, secret] },
  ])('the fake of a webhook accepts an alert signed with $what', async ({ secrets }) => {
    const { post, taken, refusals } = await aDouble();

    expect(await post(body, signed(secrets))).toBe(204);
    expect(taken).toEqual([{ path: '/hook', alert }]);
    expect(refusals).toEqual([]);
  });

  it.each([
    {
      what: 'is signed with another secret',
      headers: signed([other]),
      issue: 'No matching signature',
    },
    { what: 'is not signed', headers: {}, issue: 'missing signature' },
    {
      what: 'was signed six minutes ago',
      headers: signed([secret], now - 6 * 60_000),
      issue: 'timestamp too old',
    },
    {
      what: 'differs from the signed text',
      headers: signed([secret], now, body.replace('fired', 'recovered')),
      issue: 'No matching signature',
    },
  ])('the fake of a webhook rejects an alert that $what', async ({ headers, issue }) => {
    const { post, taken, refusals } = await aDouble();

    expect(await post(body, headers)).toBe(401);
    expect(taken).toEqual([]);
    expect(refusals).toEqual([expect.stringContaining(issue)]);
  });

  it('the fake of a webhook echoes a challenge that is correctly signed', async () => {
    const { answer, taken, refusals } = await aDouble();
    const content = JSON.stringify({ type: 'challenge', challenge: 'say this' });

    expect(await answer(content, signed([secret], now, content))).toBe('say this');
    expect(await answer(content, signed([other], now, content))).toBe('');
    expect(taken).toEqual([]);
    expect(refusals).toHaveLength(1);
  });

  it('the fake of a webhook responds with 410 at the path `CLOSED` after three alerts', async () => {
    const { post, taken, refusals } = await aDouble(CLOSED);

    for (let alerts = 0; alerts < 3; alerts += 1) {
      expect(await post(body, signed([secret]))).toBe(204);
    }
    expect(await post(body, signed([secret]))).toBe(410);
    expect([...taken, ...refusals]).toEqual([]);
  });

  it('the fake of a webhook rejects a signed body that is not an alert', async () => {
    const { post, refusals } = await aDouble();

    expect(await post('{}', signed([secret], now, '{}'))).toBe(400);
    expect(refusals).toEqual([expect.stringMatching(/^webhook: /)]);
  });
});

function signed(secrets: readonly string[], at = now, content = body): Record<string, string> {
  return {
    'webhook-id': alert.id,
    'webhook-timestamp': String(at / 1000),
    'webhook-signature': secrets
      .map((key) => new Webhook(key).sign(alert.id, new Date(at), content))
      .join(' '),
  };
}

async function aDouble(path = '/hook') {
  const taken: WebhookPost[] = [];
  const refusals: string[] = [];
  const server = createWebhookDouble(
    secret,
    (post) => taken.push(post),
    (reason) => refusals.push(reason),
  );
  onTestFinished(() => closeServer(server));
  const origin = await listen(server);
  const send = (content: string, headers: Record<string, string>) =>
    fetch(`${origin}${path}`, { method: 'POST', body: content, headers });
  return {
    post: async (content: string, headers: Record<string, string>) =>
      (await send(content, headers)).status,
    answer: async (content: string, headers: Record<string, string>) =>
      await (await send(content, headers)).text(),
    ...{ taken, refusals },
  };
}
