import { request as send } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import * as z from 'zod';
import type { Engines } from '#infra/local/runtime/engines.ts';
import { closeServer, createLoopbackServer, listen } from '#infra/local/runtime/loopback.ts';
import { account, region } from '#infra/local/runtime/template.ts';

/** A call of a service as it is authorized. */
export type AwsCall = {
  /** Whose credentials have signed it. */
  readonly caller: string;
  /** `dynamodb:GetItem` */
  readonly action: string;
  readonly resource: string;
  /** The partition keys that an operation on items names. */
  readonly leadingKeys: readonly string[];
  /** How an endpoint is informed that it is subscribed. */
  readonly protocols: readonly string[];
  /** Whom an email is from. */
  readonly senders: readonly string[];
};

/** Engines behind an ear: what functions say to their services is reported before it goes on. */
export async function listenToCalls(
  engines: Engines,
  tell: (call: AwsCall) => void,
  onFailure: (error: unknown) => void,
) {
  const ears = await Promise.all(
    Object.entries(engines.endpoints).map(async ([variable, target]) => {
      const server = createLoopbackServer(async (incoming, response) => {
        const body = await buffer(incoming);
        for (const call of readCalls(incoming.headers, body.toString())) tell(call);
        const { method, url = '/', headers } = incoming;
        const forwarded = send(new URL(url, target), { method, headers });
        const answered = Promise.withResolvers<void>();
        forwarded.once('error', answered.reject);
        forwarded.once('response', (answer) => {
          response.writeHead(answer.statusCode ?? 502, answer.headers);
          pipeline(answer, response).then(answered.resolve, answered.reject);
        });
        forwarded.end(body);
        await answered.promise;
      }, onFailure);
      return { variable, server, url: await listen(server) };
    }),
  );
  return {
    engines: {
      ...engines,
      endpoints: Object.fromEntries(ears.map(({ variable, url }) => [variable, url])),
    } satisfies Engines,
    close: async () => {
      await Promise.all(ears.map(({ server }) => closeServer(server)));
    },
  };
}

/**
 * Reads the caller of a request and what is authorized for it: one call for each of its resources.
 * Throws for an unknown request, so that none goes unnoticed.
 */
function readCalls(headers: NodeJS.Dict<string | string[]>, body: string): readonly AwsCall[] {
  const { authorization, 'x-amz-target': target } = Headers.parse(headers);
  const [, caller = ''] = /Credential=([^/]+)\//.exec(authorization) ?? [];
  const isEmail = /\/ses\/aws4_request/.test(authorization);
  const [, service = isEmail ? 'SES' : 'SNS', operation = ''] =
    /^(\w+?)(?:_\d+)?\.(\w+)$/.exec(target ?? '') ?? [];
  const read = readers[service];
  if (read === undefined) throw new Error(`unknown call ${target}`);
  return [read(operation, body)]
    .flat()
    .map((call) => ({ caller, leadingKeys: [], protocols: [], senders: [], ...call }));
}

type ReadCall = Pick<AwsCall, 'action' | 'resource'> & Partial<AwsCall>;
type Read = (operation: string, body: string) => ReadCall | readonly ReadCall[];

const readers: Readonly<Record<string, Read>> = {
  DynamoDB: (operation, body) => {
    const action = `dynamodb:${operation}`;
    if (operation === 'BatchGetItem') {
      const [[table, { Keys: keys }] = ['', { Keys: [] }]] = Object.entries(
        BatchOfKeys.parse(JSON.parse(body)).RequestItems,
      );
      const leadingKeys = keys.map(({ pk }) => pk.S);
      return { action, resource: arn('dynamodb', `table/${table}`), leadingKeys };
    }
    const { TableName, IndexName, ...item } = ItemOperation.parse(JSON.parse(body));
    const index = IndexName === undefined ? '' : `/index/${IndexName}`;
    const leadingKey = item.Key?.pk.S ?? item.Item?.pk.S ?? partitionOf(item);
    return {
      action,
      resource: arn('dynamodb', `table/${TableName}${index}`),
      leadingKeys: [leadingKey],
    };
  },
  AmazonSQS: (operation, body) => {
    const { QueueUrl } = z.object({ QueueUrl: z.string() }).parse(JSON.parse(body));
    return {
      // There is no right of its own to do many at once.
      action: `sqs:${operation.replace(/Batch$/, '')}`,
      resource: arn('sqs', QueueUrl.slice(QueueUrl.lastIndexOf('/') + 1)),
    };
  },
  AmazonSSM: (operation, body) => {
    const { Names } = z.object({ Names: z.array(z.string()) }).parse(JSON.parse(body));
    return Names.map((name) => ({
      action: `ssm:${operation}`,
      resource: arn('ssm', `parameter${name}`),
    }));
  },
  SES: (_operation, body) => {
    const asked = EmailRequest.parse(JSON.parse(body));
    const { FromEmailAddress: sender, Destination, ConfigurationSetName } = asked;
    // As SES authorizes it in its sandbox: the recipients' identities, too.
    const identities = [sender, ...Destination.ToAddresses];
    return [
      ...identities.map((address) => `identity/${address}`),
      `configuration-set/${ConfigurationSetName}`,
    ].map((name) => ({
      action: 'ses:SendEmail',
      resource: arn('ses', name),
      senders: [sender],
    }));
  },
  SNS: (_operation, body) => {
    const asked = TopicRequest.parse(Object.fromEntries(new URLSearchParams(body)));
    const { Action, Name, TopicArn, SubscriptionArn, Protocol } = asked;
    // A call about a subscription is authorized on its topic, whose ARN it begins with.
    const topic = TopicArn ?? SubscriptionArn?.replace(/:[^:]*$/, '');
    return {
      action: `sns:${Action}`,
      resource: topic ?? arn('sns', String(Name)),
      protocols: Protocol === undefined ? [] : [Protocol],
    };
  },
};

function partitionOf(
  query: Pick<
    z.output<typeof ItemOperation>,
    'KeyConditionExpression' | 'ExpressionAttributeValues'
  >,
) {
  const [, placeholder = ''] = /^#?\w+ = (:\w+)/.exec(query.KeyConditionExpression ?? '') ?? [];
  return z.object({ S: z.string() }).parse(query.ExpressionAttributeValues?.[placeholder]).S;
}

const arn = (service: string, name: string) => `arn:aws:${service}:${region}:${account}:${name}`;

const Headers = z.object({ authorization: z.string(), 'x-amz-target': z.string().optional() });
const Keys = z.object({ pk: z.object({ S: z.string() }) });
const BatchOfKeys = z.object({
  RequestItems: z.record(z.string(), z.object({ Keys: z.array(Keys) })),
});
const ItemOperation = z.object({
  TableName: z.string(),
  IndexName: z.string().optional(),
  Key: Keys.optional(),
  Item: Keys.optional(),
  KeyConditionExpression: z.string().optional(),
  ExpressionAttributeValues: z.record(z.string(), z.unknown()).optional(),
});
const EmailRequest = z.object({
  FromEmailAddress: z.string(),
  Destination: z.object({ ToAddresses: z.array(z.string()) }),
  ConfigurationSetName: z.string(),
});
const TopicRequest = z.object({
  Action: z.string(),
  Name: z.string().optional(),
  TopicArn: z.string().optional(),
  SubscriptionArn: z.string().optional(),
  Protocol: z.string().optional(),
});
