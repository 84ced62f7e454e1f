import { describe, expect, it } from 'vitest';
import type { Taken } from '#shared/channels/chat-double.ts';
import { discordDouble } from '#shared/channels/discord/double.ts';

const x = (count: number) => 'x'.repeat(count);
const allowed_mentions = { parse: [] };
const embed = (given: object) => ({ embeds: [given], allowed_mentions });
const fields = (count: number, name = 'a', value = 'b') =>
  Array.from({ length: count }, () => ({ name, value }));

describe('the Discord fake', () => {
  it.each([
    { what: 'content', message: { content: x(2000), allowed_mentions } },
    {
      what: 'an embed at its limits',
      message: embed({ title: x(256), description: x(4096), footer: { text: x(1648) } }),
    },
    { what: 'fields', message: embed({ title: 'a', fields: fields(25) }) },
    { what: 'a long field', message: embed({ title: 'a', fields: fields(1, x(256), x(1024)) }) },
  ])('the Discord fake accepts $what', ({ message }) => {
    const { post, taken } = aDouble();

    expect(post(message)).toMatchObject({ status: 200 });
    expect(taken).toEqual([expect.objectContaining({ to: '123', message })]);
  });

  it.each([
    { what: 'content that is too long', message: { content: x(2001), allowed_mentions } },
    { what: 'a title that is too long', message: embed({ title: x(257) }) },
    { what: 'a description that is too long', message: embed({ description: x(4097) }) },
    { what: 'too many fields', message: embed({ title: 'a', fields: fields(26) }) },
    { what: 'a name that is too long', message: embed({ fields: fields(1, x(257)) }) },
    { what: 'a value that is too long', message: embed({ fields: fields(1, 'a', x(1025)) }) },
    { what: 'an empty value', message: embed({ fields: fields(1, 'a', '') }) },
    {
      what: 'more than 6000 characters in all',
      message: { embeds: [{ description: x(4096) }, { description: x(1905) }], allowed_mentions },
    },
    { what: 'an empty message', message: { allowed_mentions } },
    { what: 'a message that may ping people', message: { content: '@everyone' } },
    { what: 'an unknown member', message: embed({ title: 'a', titel: 'b' }) },
  ])('the Discord fake rejects $what with a reason', ({ message }) => {
    const { post, taken, refusals } = aDouble();

    expect(post(message)).toMatchObject({ status: 400, body: { code: 50_035 } });
    expect(taken).toEqual([]);
    expect(refusals).toEqual([expect.stringMatching(/^Discord: ./)]);
  });

  it('the Discord fake accepts thirty messages a minute, and then returns the time until the next', () => {
    let now = 0;
    const { post } = aDouble(() => now);
    const message = { content: 'a', allowed_mentions };

    const first = Array.from({ length: 30 }, () => post(message));
    now = 20_500;
    const next = post(message);
    now = 60_000;
    const later = post(message);

    expect(new Set(first.map(({ status }) => status))).toEqual(new Set([200]));
    expect(next).toMatchObject({ status: 429, body: { retry_after: 39.5 }, retryAfter: '40' });
    expect(later.status).toBe(200);
  });
});

function aDouble(now = () => 0) {
  const taken: Taken[] = [];
  const refusals: string[] = [];
  const answerTo = discordDouble.create(now);
  const post = (message: unknown) => {
    const answer = answerTo({ path: '/api/webhooks/123/secret', body: JSON.stringify(message) });
    if (answer.taken !== undefined) taken.push(answer.taken);
    if (answer.issue !== undefined) refusals.push(answer.issue);
    const { status, headers, body } = answer;
    return { status, body: JSON.parse(body), retryAfter: headers?.['retry-after'] };
  };
  return { post, taken, refusals };
}
