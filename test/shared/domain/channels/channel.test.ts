import { expect, it } from 'vitest';
import { type Channel, channelView } from '#shared/domain/channels/channel.ts';
import { ChannelBody } from '#shared/domain/channels/channel-body.ts';

it('is reported with names in the place of secrets, which the body takes', () => {
  const channels: readonly Channel[] = [
    { id: 'a', kind: 'email', to: 'desk@example.com' },
    { id: 'b', kind: 'sqs', queue: 'arn:aws:sqs:eu-west-1:123456789012:alerts' },
    { id: 'c', kind: 'slack', url: { sealed: 'x', hash: '0123abcd' } },
    { id: 'd', kind: 'discord', url: { sealed: 'x', hash: '0123abcd' } },
    {
      id: 'e',
      kind: 'webhook',
      url: 'https://example.com/hook?token=1',
      secrets: [
        { sealed: 'x', hash: '0123abcd' },
        { sealed: 'y', hash: '4567abcd' },
      ],
    },
  ];

  const reported = channels.map(channelView);

  expect(reported).toEqual([
    { id: 'a', kind: 'email', to: 'desk@example.com' },
    { id: 'b', kind: 'sqs', queue: 'arn:aws:sqs:eu-west-1:123456789012:alerts' },
    { id: 'c', kind: 'slack', url: 'kept:0123abcd' },
    { id: 'd', kind: 'discord', url: 'kept:0123abcd' },
    {
      id: 'e',
      kind: 'webhook',
      url: 'https://example.com/hook?token=1',
      secrets: ['kept:0123abcd', 'kept:4567abcd'],
    },
  ]);
  expect(reported.map((channel) => ChannelBody.parse(channel))).toEqual(reported);
});
