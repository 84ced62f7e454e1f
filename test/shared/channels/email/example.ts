import type { ChannelExample } from '#test/support/channel-example.ts';

export const emailExample: ChannelExample<'email'> = {
  written: { id: 'a', kind: 'email', to: 'desk@example.com' },
  elsewhere: { id: 'a', kind: 'email', to: 'night@example.com' },
  ...{ secrets: [], isForPeople: true, isByTopic: true },
  refused: [[{ to: 'desk' }, 'to', 'expected an email address']],
};
