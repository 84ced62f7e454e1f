import { expect, it } from 'vitest';
import { DOUBLES } from '#shared/channels/doubles.ts';
import { startLocalStack } from '#test/support/local-stack.ts';

it('npm start shows each kind of message, to each kind of channel, within an hour of its market', async () => {
  const hour = ['--from', '2026-01-05T12:00Z', '--to', '2026-01-05T13:00Z'];
  await using stack = startLocalStack([...hour, '--speed', 'max', '--exit-at-end']);
  const kinds = new Set<string>();
  const channels = new Set<string>();
  const titles: string[] = [];
  const refused: string[] = [];
  let deadLetters = {};

  for await (const line of stack.events) {
    if (line.event === 'alert') {
      kinds.add(line.alert.kind);
      titles.push(line.alert.title);
    }
    if (line.event === 'notification')
      channels.add(`${line.notification.kind} ${line.notification.to}`);
    if (line.event === 'refused') refused.push(line.reason);
    if (line.event === 'end') ({ deadLetters } = line);
  }

  expect(await stack.exited).toBe(0);
  expect([...kinds]).toEqual(
    expect.arrayContaining([
      ...[
        'channel_off',
        'expired',
        'fired',
        'fresh',
        'recovered',
        'reminder',
        'stale',
        'summary',
        'worsened',
      ],
    ]),
  );
  expect(titles).toContainEqual(expect.stringMatching(/^Simulated Apes \(Body: Gold\): floor /));
  const isChat = (channel: string) => (channel.split(' ', 1)[0] ?? '') in DOUBLES;
  const chats = [...channels].filter(isChat);
  expect([...channels].filter((channel) => !isChat(channel)).toSorted()).toEqual([
    'email desk@floorwatch.example',
    'email operators@floorwatch.example',
    'sqs alerts-for-programs',
    'webhook /alerts',
  ]);
  expect(new Set(chats.map((channel) => channel.split(' ', 1)[0]))).toEqual(
    new Set(Object.keys(DOUBLES)),
  );
  expect(chats).toContain('slack T000/B000');
  expect(refused).toEqual([]);
  expect(deadLetters).toEqual({});
});
