import type { ChannelExample } from '#test/support/channel-example.ts';

const queue = (name: string) => `arn:aws:sqs:eu-west-1:123456789012:${name}`;
const of = (name: string) => ({ queue: queue(name) });

export const sqsExample: ChannelExample<'sqs'> = {
  written: { id: 'a', kind: 'sqs', queue: queue('alerts') },
  elsewhere: { id: 'a', kind: 'sqs', queue: queue('others') },
  ...{ secrets: [], isForPeople: false, isByTopic: true },
  refused: [
    [of('alerts.fifo'), 'queue', 'FIFO'],
    [of('floorwatch-dev-x'), 'queue', 'of your own'],
    [of('canary-of-floorwatch-dev'), 'queue', 'of your own'],
    [of('FloorWatch-dev-x'), 'queue', 'of your own'],
    [{ queue: queue('a').replace('s:', 's-evil:') }, 'queue', 'the ARN of'],
    [{ queue: queue('x').replace('q', 'n') }, 'queue', 'the ARN of a queue'],
    [{ queue: 'https://sqs.example.com/1/a' }, 'queue', 'the ARN'],
  ],
};
