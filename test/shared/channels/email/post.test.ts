import { expect, it } from 'vitest';
import { postEmail } from '#shared/channels/email/post.ts';
import type { Email, EmailAnswer } from '#shared/clients/email-sender.ts';
import type { Subscription } from '#shared/domain/channels/channel-record.ts';
import { anAlertInWords, NOON } from '#test/support/builders.ts';

const URL = 'https://api.example/v1/subscriptions/x.y';
const LINK = { destinationId: 'acme#punks#desk', to: 'desk@example.com' } as const;
const notification = { kind: 'alert', alert: anAlertInWords() } as const;

/** The outcome of sending an email: emails sent by SES, and the number of messages to the topic. */
async function posted({
  state = 'confirmed',
  answer = { kind: 'accepted' },
  url = URL,
}: {
  readonly state?: Subscription['state'] | 'unknown';
  readonly answer?: EmailAnswer;
  readonly url?: string | undefined;
}) {
  const emails: Email[] = [];
  const refused: object[] = [];
  let published = 0;
  const world = {
    sendEmail: async (email: Email) => {
      emails.push(email);
      return answer;
    },
    unsubscribeUrl: async () => (url === '' ? undefined : url),
    onRefused: (refusal: object) => void refused.push(refusal),
  };
  const subscription = state === 'unknown' ? undefined : { state, since: NOON };
  const publish = async () => {
    published += 1;
    return { kind: 'accepted' } as const;
  };
  const signal = new AbortController().signal;
  const said = await postEmail(world, LINK, subscription, notification, publish, signal);
  return { said, emails, refused, published };
}

it.each(['confirmed', 'confirmed-unprotected'] as const)(
  'sends the email of a %s subscriber through SES, and not through the topic',
  async (state) => {
    const { said, emails, published } = await posted({ state });

    expect(said).toEqual({ kind: 'accepted' });
    expect(emails).toMatchObject([
      { to: LINK.to, channel: LINK.destinationId, unsubscribeUrl: URL },
    ]);
    expect(published).toBe(0);
  },
);

it.each(['pending', 'unknown', 'gone', 'ended'] as const)(
  'sends emails to an address that is not subscribed (%s) through the topic, not through SES',
  async (state) => {
    const { emails, published } = await posted({ state });

    expect([emails, published]).toEqual([[], 1]);
  },
);

it('sends no email through SES without an unsubscribe link', async () => {
  const { emails, published } = await posted({ url: '' });

  expect([emails, published]).toEqual([[], 1]);
});

it('if SES rejects an email, sends it through the topic at once, and reports the reason to operators', async () => {
  const answer = { kind: 'refused', reason: 'SES returned HTTP 429' } as const;
  const { said, refused, published } = await posted({ answer });

  expect([said, published]).toEqual([{ kind: 'accepted' }, 1]);
  expect(refused).toEqual([{ destinationId: LINK.destinationId, ...answer }]);
});

it('retries an email that SES may have accepted, and does not publish it to the topic', async () => {
  const answer = { kind: 'failed', reason: 'SES did not respond: timeout' } as const;
  const { said, published } = await posted({ answer });

  expect([said, published]).toEqual([answer, 0]);
});
