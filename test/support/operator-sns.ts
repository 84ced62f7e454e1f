import { onTestFinished } from 'vitest';
import { closeServer, createLoopbackServer, listen } from '#infra/local/runtime/loopback.ts';

/**
 * The subscribers of a topic by email, with the state that SNS lists instead of an ARN while they
 * are unconfirmed.
 */
type Subscribed = Readonly<Record<string, 'confirmed' | 'PendingConfirmation' | 'Deleted'>>;

/**
 * A fake of SNS's Query API for commands about topics, with one entry per page; records
 * publications. fauxqs cannot replace it, because it confirms each subscription automatically.
 */
export async function anOperatorSns(topics: Readonly<Record<string, Subscribed>>) {
  const published: Readonly<Record<string, string>>[] = [];
  const arnOf = (name: string) => `arn:aws:sns:us-east-1:123456789012:${name}`;
  const server = createLoopbackServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const asked = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()));
    const page = (members: readonly string[], of: string) => {
      const at = Number(asked.NextToken ?? 0);
      const next = at + 1 < members.length ? `<NextToken>${at + 1}</NextToken>` : '';
      const shown = members.slice(at, at + 1).map((member) => `<member>${member}</member>`);
      return `<${of}>${shown.join('')}</${of}>${next}`;
    };
    const answers: Readonly<Record<string, () => string>> = {
      ListTopics: () => {
        const arns = Object.keys(topics).map((name) => `<TopicArn>${arnOf(name)}</TopicArn>`);
        return page(arns, 'Topics');
      },
      ListSubscriptionsByTopic: () => {
        const [, subscribed = {}] =
          Object.entries(topics).find(([name]) => arnOf(name) === asked.TopicArn) ?? [];
        const members = Object.entries(subscribed).map(([email, state]) => {
          const arn = state === 'confirmed' ? `${asked.TopicArn}:${email.length}` : state;
          return `<Endpoint>${email}</Endpoint><Protocol>email</Protocol><SubscriptionArn>${arn}</SubscriptionArn>`;
        });
        return page(members, 'Subscriptions');
      },
      Publish: () => {
        published.push(asked);
        return '<MessageId>m-1</MessageId>';
      },
    };
    const { Action = '' } = asked;
    response.setHeader('content-type', 'text/xml');
    response.end(
      `<${Action}Response xmlns="http://sns.amazonaws.com/doc/2010-03-31/"><${Action}Result>${answers[Action]?.() ?? ''}</${Action}Result></${Action}Response>`,
    );
  });
  const endpoint = await listen(server);
  onTestFinished(() => closeServer(server));
  return { endpoint, published };
}
