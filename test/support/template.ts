import * as z from 'zod';

/** The account and region for which references are resolved. */
export const region = 'us-east-1';
export const account = '000000000000';

/** The parts of a synthesized template that tests read. */
export const Template = z.object({
  Resources: z.record(
    z.string(),
    z.object({
      Type: z.string(),
      Properties: z.record(z.string(), z.unknown()).default({}),
      Metadata: z.record(z.string(), z.unknown()).default({}),
      Condition: z.never('conditions are not resolved').optional(),
    }),
  ),
});

/** One resource of a type, with resolved and parsed properties. */
type Found<Properties> = {
  readonly id: string;
  /** The value of `Ref`. */
  readonly ref: string;
  readonly arn: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly properties: Properties;
};

/** A template with resolved references. */
export type Stack = {
  /** Every resource of the type, with the properties that the schema names. */
  readonly find: <Schema extends z.ZodType>(
    type: string,
    properties: Schema,
  ) => readonly Found<z.output<Schema>>[];
};

/** The template contains something that this reader does not support. */
class TemplateError extends Error {
  override readonly name = 'TemplateError';
  readonly code = 'template_not_understood';
}

/**
 * Reads a template and resolves its references. Throws on an unresolvable reference, which would
 * fail in AWS, too.
 */
export function readStack(template: unknown, queueOrigin: string): Stack {
  const resources = Template.parse(template).Resources;

  const attributes = (id: string): Attributes => {
    const resource = resources[id];
    if (!resource)
      throw new TemplateError(`the template refers to ${id}, which it does not contain`);
    const name = resolve(resource.Properties[nameProperties[resource.Type] ?? ''] ?? undefined);
    const suffix = resource.Properties.FifoQueue === true ? '.fifo' : '';
    const describe = attributesOf[resource.Type] ?? named('other');
    return describe(typeof name === 'string' ? name : `${id}${suffix}`, queueOrigin);
  };

  const attribute = (id: string, name: string): string => {
    const found = pseudoParameters[name === 'Ref' ? id : ''] ?? attributes(id)[name];
    if (found === undefined) {
      throw new TemplateError(
        `the template refers to ${id}.${name}, which this reader does not support`,
      );
    }
    return found;
  };

  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve).filter((item) => item !== undefined);
    if (typeof value !== 'object' || value === null) return value;
    const [[name, argument] = [], ...others] = Object.entries(value);
    if (name !== undefined && others.length === 0 && /^(Ref|Fn::.*)$/.test(name)) {
      return intrinsic(name, argument);
    }
    const entries = Object.entries(value).map(([key, item]) => [key, resolve(item)] as const);
    return Object.fromEntries(entries.filter(([, item]) => item !== undefined));
  };

  const intrinsic = (name: string, argument: unknown): unknown => {
    if (name === 'Ref')
      return argument === 'AWS::NoValue' ? undefined : attribute(text(argument), 'Ref');
    if (name === 'Fn::GetAtt') {
      const [id = '', ...path] =
        typeof argument === 'string' ? argument.split('.') : texts(argument);
      return attribute(id, path.join('.'));
    }
    if (name === 'Fn::Join') {
      const [separator, parts] = z.tuple([z.string(), z.array(z.unknown())]).parse(argument);
      return texts(resolve(parts)).join(separator);
    }
    if (name === 'Fn::Select') {
      const [index, list] = z.tuple([z.coerce.number(), z.unknown()]).parse(argument);
      return texts(resolve(list))[index];
    }
    if (name === 'Fn::Split') {
      const [separator, whole] = z.tuple([z.string(), z.unknown()]).parse(argument);
      return text(resolve(whole)).split(separator);
    }
    if (name === 'Fn::Sub') {
      const [pattern, own] =
        typeof argument === 'string' ? [argument, {}] : Substitution.parse(argument);
      return pattern.replace(/\$\{([^!}]+)\}/g, (_whole, key: string) => {
        if (key in own) return text(resolve(own[key]));
        const [id = '', ...path] = key.split('.');
        return attribute(id, path.length === 0 ? 'Ref' : path.join('.'));
      });
    }
    throw new TemplateError(`the template uses ${name}, which this reader does not support`);
  };

  return {
    find: (type, properties) =>
      Object.entries(resources)
        .filter(([, resource]) => resource.Type === type)
        .map(([id, resource]) => {
          const read = properties.safeParse(resolve(resource.Properties));
          if (!read.success) {
            throw new TemplateError(
              `${id} (${type}) cannot be read: ${z.prettifyError(read.error)}`,
            );
          }
          const { Ref: ref = id, Arn: arn = ref } = attributes(id);
          return { id, ref, arn, metadata: resource.Metadata, properties: read.data };
        }),
  };
}

type Attributes = Readonly<Record<string, string>>;
type Describe = (name: string, queueOrigin: string) => Attributes;

const arnOf = (service: string, name: string) => `arn:aws:${service}:${region}:${account}:${name}`;
const named = (service: string, kind = ''): Describe => {
  return (name) => ({ Ref: name, Arn: arnOf(service, `${kind}${name}`) });
};
const table = named('dynamodb', 'table/');

/** The attributes of the types that tests refer to. */
const attributesOf: Readonly<Record<string, Describe>> = {
  'AWS::DynamoDB::GlobalTable': table,
  'AWS::DynamoDB::Table': table,
  'AWS::SQS::Queue': (name, origin) => {
    const url = `${origin}/${account}/${name}`;
    return { Ref: url, QueueUrl: url, QueueName: name, Arn: arnOf('sqs', name) };
  },
  'AWS::SNS::Topic': (name) => {
    const arn = arnOf('sns', name);
    return { Ref: arn, TopicArn: arn, TopicName: name, Arn: arn };
  },
  'AWS::SNS::Subscription': named('sns'),
  'AWS::Lambda::Function': named('lambda', 'function:'),
  'AWS::Lambda::EventSourceMapping': named('lambda', 'event-source-mapping:'),
  'AWS::Scheduler::Schedule': named('scheduler', 'schedule/default/'),
  'AWS::ApiGateway::RestApi': (name) => ({
    Ref: name,
    RestApiId: name,
    RootResourceId: `${name}/`,
  }),
  'AWS::ApiGateway::Resource': (name) => ({ Ref: name, ResourceId: name }),
  'AWS::ApiGateway::Authorizer': (name) => ({ Ref: name, AuthorizerId: name }),
  'AWS::ApiGateway::Method': named('apigateway'),
  'AWS::ApiGateway::GatewayResponse': named('apigateway'),
};

const nameProperties: Readonly<Record<string, string>> = {
  'AWS::DynamoDB::GlobalTable': 'TableName',
  'AWS::DynamoDB::Table': 'TableName',
  'AWS::SQS::Queue': 'QueueName',
  'AWS::SNS::Topic': 'TopicName',
  'AWS::Lambda::Function': 'FunctionName',
  'AWS::Scheduler::Schedule': 'Name',
  'AWS::ApiGateway::Stage': 'StageName',
};

const pseudoParameters: Attributes = {
  'AWS::Region': region,
  'AWS::AccountId': account,
  'AWS::Partition': 'aws',
  'AWS::URLSuffix': 'amazonaws.com',
  'AWS::StackName': 'local',
  'AWS::StackId': arnOf('cloudformation', 'stack/local/local'),
};

const Substitution = z.tuple([z.string(), z.record(z.string(), z.unknown())]);
const text = (value: unknown) => z.string().parse(value);
const texts = (value: unknown) => z.array(z.string()).parse(value);
