import type { Server } from 'node:http';
import { json } from 'node:stream/consumers';
import { ListSubscriptionsByTopicCommand, type SNSClient } from '@aws-sdk/client-sns';
import type { Publication } from '#infra/local/runtime/engines.ts';
import { createLoopbackServer } from '#infra/local/runtime/loopback.ts';

/** What somebody got, as they would see it. */
export type Letter =
  | {
      readonly kind: 'email';
      readonly to: string;
      readonly subject: string;
      readonly text: string;
      readonly at: string;
    }
  | { readonly kind: 'slack'; readonly message: unknown; readonly at: string };

/** Stands in for the mail and chat services: keeps what was delivered, newest last. */
export type Mailbox = {
  readonly letters: () => readonly Letter[];
  /** Delivers a topic's message to each address that is subscribed to the topic. */
  readonly receive: (publication: Publication, sns: SNSClient) => Promise<void>;
  /** A Slack whose incoming webhooks take every post. */
  readonly slack: Server;
};

export function createMailbox(
  now: () => number,
  onLetter: (letter: Letter) => void,
  capacity = 1000,
): Mailbox {
  const letters: Letter[] = [];
  const keep = (letter: Letter) => {
    letters.push(letter);
    if (letters.length > capacity) letters.shift();
    onLetter(letter);
  };
  const at = () => new Date(now()).toISOString();

  return {
    letters: () => letters,
    receive: async ({ topicArn, subject = 'AWS Notification Message', messages }, sns) => {
      const asked = new ListSubscriptionsByTopicCommand({ TopicArn: topicArn });
      const { Subscriptions = [] } = await sns.send(asked);
      for (const { Protocol, Endpoint: to = '' } of Subscriptions) {
        if (Protocol !== 'email') continue;
        keep({ kind: 'email', to, subject, text: messages.email ?? messages.default, at: at() });
      }
    },
    slack: createLoopbackServer(async (request, response) => {
      try {
        keep({ kind: 'slack', message: await json(request), at: at() });
        response.end('ok');
      } catch {
        response.writeHead(400).end('invalid_payload');
      }
    }),
  };
}
