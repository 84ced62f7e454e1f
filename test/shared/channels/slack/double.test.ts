import { describe, expect, it } from 'vitest';
import type { Taken } from '#shared/channels/chat-double.ts';
import { slackDouble } from '#shared/channels/slack/double.ts';

const header = (text: string) => ({ type: 'header', text: { type: 'plain_text', text } });
const section = (text: string) => ({ type: 'section', text: { type: 'plain_text', text } });
const context = (text: string) => ({ type: 'context', elements: [{ type: 'mrkdwn', text }] });
const plain = (text: string) => ({ type: 'plain_text', text });
const fields = (count: number) => Array.from({ length: count }, () => plain(x(2000)));
const behindBar = (...blocks: object[]) => ({
  ...{ text: 'a', blocks: [header('a')] },
  attachments: [{ color: '#d32f2f', blocks }],
});
const linkButtons = (count: number, url: string) => ({
  ...{ text: 'a', blocks: [header('a')] },
  attachments: [
    {
      ...{ color: '#d32f2f', fallback: 'a' },
      actions: Array.from({ length: count }, () => ({ type: 'button', text: 'a', url })),
    },
  ],
});
const x = (count: number) => 'x'.repeat(count);

describe('the Slack fake', () => {
  it.each([
    { what: 'texts at their limits', blocks: [header(x(150)), section(x(3000))] },
    { what: 'fifty blocks', blocks: Array.from({ length: 50 }, () => section('a')) },
    { what: 'a context and a divider', blocks: [context(x(3000)), { type: 'divider' }] },
  ])('the Slack fake accepts $what', ({ blocks }) => {
    const { post, taken } = aDouble();

    expect(post({ text: 'Apes', blocks })).toMatchObject({ status: 200, body: 'ok' });
    expect(taken).toEqual([
      { to: 'T000/B000', subject: 'Apes', message: { text: 'Apes', blocks } },
    ]);
  });

  it.each(['https://api.example.com/a', 'http://127.0.0.1:3000/a'])(
    'the Slack fake accepts five link buttons to %s',
    (url) => {
      expect(aDouble().post(linkButtons(5, url))).toMatchObject({ status: 200, body: 'ok' });
    },
  );

  it.each([
    { what: 'more than five link buttons', message: linkButtons(6, 'https://example.com') },
    {
      what: 'a button of a block, which needs an application',
      message: behindBar({ type: 'actions', elements: [{ type: 'button', text: plain('a') }] }),
    },
    { what: 'a header that is too long', message: { text: 'a', blocks: [header(x(151))] } },
    { what: 'a section that is too long', message: { text: 'a', blocks: [section(x(3001))] } },
    { what: 'an empty section', message: { text: 'a', blocks: [{ type: 'section' }] } },
    { what: 'an empty text', message: { text: 'a', blocks: [section('')] } },
    { what: 'an unknown block', message: { text: 'a', blocks: [{ type: 'table', rows: [] }] } },
    {
      what: 'a header with markup',
      message: { text: 'a', blocks: [{ type: 'header', text: { type: 'mrkdwn', text: 'a' } }] },
    },
    {
      what: 'too many blocks',
      message: { text: 'a', blocks: Array.from({ length: 51 }, () => section('a')) },
    },
    { what: 'a message without a notification text', message: { blocks: [section('a')] } },
    { what: 'more than ten fields', message: behindBar({ type: 'section', fields: fields(11) }) },
    {
      what: 'a field that is too long',
      message: behindBar({ type: 'section', fields: [plain(x(2001))] }),
    },
    {
      what: 'an unknown colour',
      message: {
        ...behindBar(section('a')),
        attachments: [{ color: 'red', blocks: [section('a')] }],
      },
    },
    { what: 'an attachment without blocks', message: behindBar() },
    { what: 'a body that is not JSON', message: 'text=a' },
  ])('the Slack fake rejects $what with a reason', ({ message }) => {
    const { post, taken, refusals } = aDouble();

    expect(post(message)).toMatchObject({ status: 400, body: 'invalid_blocks' });
    expect(taken).toEqual([]);
    expect(refusals).toEqual([expect.stringMatching(/^Slack: ./)]);
  });

  it('the Slack fake accepts fields at their limits in an attachment', () => {
    const message = behindBar({ type: 'section', fields: fields(10) });

    expect(aDouble().post(message)).toMatchObject({ status: 200 });
  });

  it('the Slack fake answers 404 at another path', () => {
    const { post } = aDouble();

    const answer = post({ text: 'a', blocks: [section('a')] }, '/services/T000');

    expect(answer).toMatchObject({ status: 404, body: 'no_service' });
  });

  it('the Slack fake accepts one message per second and webhook, and rejects others with the seconds to wait', () => {
    let now = 0;
    const { post, refusals } = aDouble(() => now);
    const message = { text: 'a', blocks: [section('a')] };

    const statuses = [];
    for (const [time, path] of [
      [0, '/services/T000/B000/x'],
      [500, '/services/T000/B000/x'],
      [500, '/services/T000/B001/x'],
      [900, '/services/T000/B000/x'],
    ] as const) {
      now = time;
      const { status, headers } = post(message, path);
      statuses.push([status, headers?.['retry-after']]);
    }

    expect(statuses).toEqual([
      [200, undefined],
      [429, '1'],
      [200, undefined],
      [200, undefined],
    ]);
    expect(refusals).toEqual([]);
  });
});

function aDouble(now = () => 0) {
  const taken: Taken[] = [];
  const refusals: string[] = [];
  const answerTo = slackDouble.create(now);
  const post = (message: unknown, path = '/services/T000/B000/secret') => {
    const body = typeof message === 'string' ? message : JSON.stringify(message);
    const answer = answerTo({ path, body });
    if (answer.taken !== undefined) taken.push(answer.taken);
    if (answer.issue !== undefined) refusals.push(answer.issue);
    return answer;
  };
  return { post, taken, refusals };
}
