import { describe, expect, it } from 'vitest';
import { telegramDouble } from '#shared/channels/telegram/double.ts';

const PATH = `/bot1001001:${'x'.repeat(35)}/sendMessage`;
const of = (text: string, chat = '-1') => ({ chat_id: chat, text, parse_mode: 'HTML' });
const x = (count: number) => 'x'.repeat(count);

describe('the Telegram fake', () => {
  it.each([of(x(4096)), of(`<b>${x(4096)}</b>`), of('a &amp; <a href="https://a.example">b</a>')])(
    'the Telegram fake accepts %j',
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
  ])('the Telegram fake rejects %j with a reason', (message) => {
    const answer = telegramDouble.create(() => 0)({ path: PATH, body: JSON.stringify(message) });

    expect(answer).toMatchObject({ status: 400, issue: expect.stringMatching(/^Telegram: ./) });
    expect(answer.taken).toBeUndefined();
  });

  it('the Telegram fake answers 404 at another path', () => {
    const body = JSON.stringify(of('a'));

    expect(telegramDouble.create(() => 0)({ path: '/bot1/sendMessage', body }).status).toBe(404);
  });

  it('the Telegram fake accepts a message a second for each chat, and then returns the time until the next', () => {
    let now = 0;
    const answer = telegramDouble.create(() => now);
    const post = (chat: string) => answer({ path: PATH, body: JSON.stringify(of('a', chat)) });

    const statuses = [post('-1'), post('-1'), post('-2')].map(({ status }) => status);
    now = 900;

    expect([...statuses, post('-1').status]).toEqual([200, 429, 200, 200]);
  });
});
