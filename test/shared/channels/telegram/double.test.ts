import { describe, expect, it } from 'vitest';
import { telegramDouble } from '#shared/channels/telegram/double.ts';

const PATH = `/bot1001001:${'x'.repeat(35)}/sendMessage`;
const of = (text: string, chat = '-1') => ({ chat_id: chat, text, parse_mode: 'HTML' });
const x = (count: number) => 'x'.repeat(count);

describe('the Telegram double', () => {
  it.each([of(x(4096)), of(`<b>${x(4096)}</b>`), of('a &amp; <a href="https://a.example">b</a>')])(
    'takes %j',
    (message) => {
      const answer = telegramDouble.create(() => 0)({ path: PATH, body: JSON.stringify(message) });

      expect(answer).toMatchObject({ status: 200, taken: { to: '-1', message } });
    },
  );

  it.each([
    of(x(4097)),
    of(''),
    of('<b>a'),
    of('<x>a</x>'),
    of('a & b'),
    of('a < b'),
    { text: 'a' },
  ])('refuses %j, and says so', (message) => {
    const answer = telegramDouble.create(() => 0)({ path: PATH, body: JSON.stringify(message) });

    expect(answer).toMatchObject({ status: 400, issue: expect.stringMatching(/^Telegram: ./) });
    expect(answer.taken).toBeUndefined();
  });

  it('has no bot elsewhere', () => {
    const body = JSON.stringify(of('a'));

    expect(telegramDouble.create(() => 0)({ path: '/bot1/sendMessage', body }).status).toBe(404);
  });

  it('takes a message a second for each chat, and returns when the next may come', () => {
    let now = 0;
    const answer = telegramDouble.create(() => now);
    const post = (chat: string) => answer({ path: PATH, body: JSON.stringify(of('a', chat)) });

    const statuses = [post('-1'), post('-1'), post('-2')].map(({ status }) => status);
    now = 900;

    expect([...statuses, post('-1').status]).toEqual([200, 429, 200, 200]);
  });
});
