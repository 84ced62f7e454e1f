import { request as send } from 'node:http';
import { pipeline } from 'node:stream/promises';
import * as z from 'zod';
import type { createSesDouble, SentEmail } from '#shared/channels/email/double.ts';
import { type HttpServer, startHttpServer } from './http-server.ts';
import { account, region } from './template.ts';

/** An AWS call with everything that its authorization depends on. */
export type AwsCall = {
  /** The name in the credentials that signed the call. */
  readonly caller: string;
  /** `dynamodb:GetItem` */
  readonly action: string;
  readonly resource: string;
  /** The partition keys of an operation on items. */
  readonly leadingKeys: readonly string[];
  /** The protocols of a subscription. */
  readonly protocols: readonly string[];
  /** The senders of an email. */
  readonly senders: readonly string[];
};

export type CallRecorderOptions = {
  /** The AWS endpoint of all services except SES. */
  readonly endpoint: string;
  /** A fake of SES that checks requests more strictly than the emulator. */
  readonly sendEmail: ReturnType<typeof createSesDouble>;
  readonly onEmail: (email: SentEmail) => void;
  readonly onCall: (call: AwsCall) => void;
  readonly onFailure: (error: unknown) => void;
};

/** A recording proxy in front of AWS: every call is reported before it is forwarded. */
export async function startCallRecorder(options: CallRecorderOptions): Promise<HttpServer> {
  const { endpoint, sendEmail, onEmail, onCall, onFailure } = options;
  return await startHttpServer((response, { method, path, headers, body }) => {
    try {
      for (const call of callsIn(headers, body)) onCall(call);
    } catch (error) {
      onFailure(error);
      response.destroy();
      return;
    }
    if (path.startsWith('/v2/email/')) {
      const {
        taken,
        status,
        headers: answered,
        body: said,
      } = sendEmail({
        ...{ method, path, headers, body },
      });
      if (taken !== undefined) onEmail(taken);
      response.writeHead(status, answered).end(said);
      return;
    }
    const forwarded = send(new URL(path, endpoint), { method, headers });
    forwarded.once('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      pipeline(answer, response).catch(onFailure);
    });
    forwarded.once('error', (error) => {
      onFailure(error);
      response.destroy();
    });
    forwarded.end(body);
  });
}

/**
 * Reads the caller of a request and its authorized calls: one for each resource. Throws on an
 * unknown request, so that no call is unchecked.
 */
export function callsIn(headers: NodeJS.Dict<string | string[]>, body: string): readonly AwsCall[] {
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
    const read = tableReaders[operation];
    if (read !== undefined) return read(body);
    return itemCall(operation, ItemOperation.parse(JSON.parse(body)));
  },
  AmazonSQS: (operation, body) => {
    const { QueueUrl } = z.object({ QueueUrl: z.string() }).parse(JSON.parse(body));
    return {
      // Batch operations need the right for the single operation.
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
    // In the sandbox, SES authorizes the identities of recipients, too.
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
    // A call about a subscription is authorized for its topic; the subscription's ARN starts with
    // the topic's.
    const topic = TopicArn ?? SubscriptionArn?.replace(/:[^:]*$/, '');
    return {
      action: `sns:${Action}`,
      resource: topic ?? arn('sns', String(Name)),
      protocols: Protocol === undefined ? [] : [Protocol],
    };
  },
};

/** Operations on several items. The items of a transaction are authorized separately. */
const tableReaders: Readonly<Record<string, (body: string) => readonly ReadCall[]>> = {
  BatchGetItem: (body) =>
    Object.entries(BatchOfKeys.parse(JSON.parse(body)).RequestItems).map(([table, { Keys }]) =>
      tableCall('BatchGetItem', table, Keys.map(partitionOf)),
    ),
  BatchWriteItem: (body) =>
    Object.entries(BatchOfWrites.parse(JSON.parse(body)).RequestItems).map(([table, writes]) =>
      tableCall('BatchWriteItem', table, writes.map(partitionOf)),
    ),
  TransactGetItems: (body) => transactionCalls(body, { Get: 'GetItem' }),
  TransactWriteItems: (body) =>
    transactionCalls(body, {
      Put: 'PutItem',
      Update: 'UpdateItem',
      Delete: 'DeleteItem',
      ConditionCheck: 'ConditionCheckItem',
    }),
};

function transactionCalls(
  body: string,
  actions: Readonly<Record<string, string>>,
): readonly ReadCall[] {
  const { TransactItems } = Transaction.parse(JSON.parse(body));
  return TransactItems.flatMap((item) =>
    Object.entries(item).map(([kind, operation]) => {
      const action = actions[kind];
      if (action === undefined) throw new Error(`unknown transaction item ${kind}`);
      return itemCall(action, operation);
    }),
  );
}

function itemCall(operation: string, { TableName, IndexName, ...item }: ItemOperation): ReadCall {
  const index = IndexName === undefined ? '' : `/index/${IndexName}`;
  return tableCall(operation, `${TableName}${index}`, [partitionOf(item)]);
}

function tableCall(operation: string, table: string, leadingKeys: readonly string[]): ReadCall {
  return {
    action: `dynamodb:${operation}`,
    resource: arn('dynamodb', `table/${table}`),
    leadingKeys,
  };
}

/** The partition key of an item, a key, a write of a batch, or a query. */
function partitionOf(named: Partial<z.output<typeof NamesPartition>>): string {
  const { pk, Key, Item, PutRequest, DeleteRequest } = named;
  const [, placeholder = ''] = /^#?\w+ = (:\w+)/.exec(named.KeyConditionExpression ?? '') ?? [];
  const queried = named.ExpressionAttributeValues?.[placeholder];
  const item = Key ?? Item ?? PutRequest?.Item ?? DeleteRequest?.Key;
  return AttributeText.parse(pk ?? item?.pk ?? queried).S;
}

const arn = (service: string, name: string) => `arn:aws:${service}:${region}:${account}:${name}`;

const Headers = z.object({ authorization: z.string(), 'x-amz-target': z.string().optional() });
const AttributeText = z.object({ S: z.string() });
const Keys = z.object({ pk: AttributeText });
const NamesPartition = z.object({
  pk: AttributeText.optional(),
  Key: Keys.optional(),
  Item: Keys.optional(),
  PutRequest: z.object({ Item: Keys }).optional(),
  DeleteRequest: z.object({ Key: Keys }).optional(),
  KeyConditionExpression: z.string().optional(),
  ExpressionAttributeValues: z.record(z.string(), z.unknown()).optional(),
});
const ItemOperation = NamesPartition.extend({
  TableName: z.string(),
  IndexName: z.string().optional(),
});
type ItemOperation = z.output<typeof ItemOperation>;
const BatchOfKeys = z.object({
  RequestItems: z.record(z.string(), z.object({ Keys: z.array(Keys) })),
});
const BatchOfWrites = z.object({ RequestItems: z.record(z.string(), z.array(NamesPartition)) });
const Transaction = z.object({ TransactItems: z.array(z.record(z.string(), ItemOperation)) });
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
