import * as z from 'zod';

/** The account and region that the stack believes to run in. */
export const region = 'us-east-1';
export const account = '000000000000';

/** What a synthesized stack consists of; the rest of CloudFormation's format is of no use here. */
const Template = z.object({
  Resources: z.record(
    z.string(),
    z.object({
      Type: z.string(),
      Properties: z.record(z.string(), z.unknown()).default({}),
      Metadata: z.record(z.string(), z.unknown()).default({}),
      Condition: z.never('conditions are not run locally').optional(),
    }),
  ),
});

/** One resource of a type, its properties resolved and read. */
type Found<Properties> = {
  readonly id: string;
  /** What `Ref` gives. */
  readonly ref: string;
  readonly arn: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly properties: Properties;
};

/** The template with its references resolved against the engines of this machine. */
export type Stack = {
  /** Every resource of the type; properties that the schema does not know are left out. */
  readonly find: <Schema extends z.ZodType>(
    type: string,
    properties: Schema,
  ) => readonly Found<z.output<Schema>>[];
};

/** The template asks for something that this runtime does not know. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
  readonly code = 'template_not_understood';
}

/**
 * Reads a template so that it can be run.
 *
 * A resource of a type that is neither run nor known to mean nothing on one
 * machine is refused, and so is every reference that leads nowhere: what
 * would fail in the account must not work here.
 */
export function readStack(template: unknown, queueOrigin: string): Stack {
  const resources = Template.parse(template).Resources;
  for (const [id, { Type }] of Object.entries(resources)) {
    if (!(Type in attributesOf) && !isIdle(Type)) {
      throw new TemplateError(`${id} is of type ${Type}, which is not run locally`);
    }
  }

  const attributes = (id: string): Attributes => {
    const resource = resources[id];
    if (!resource) throw new TemplateError(`the template refers to ${id}, which it does not hold`);
    const name = resolve(resource.Properties[nameProperties[resource.Type] ?? ''] ?? undefined);
    const suffix = resource.Properties.FifoQueue === true ? '.fifo' : '';
    const describe = attributesOf[resource.Type] ?? idleAttributes;
    return describe(typeof name === 'string' ? name : `${id}${suffix}`, queueOrigin);
  };

  const attribute = (id: string, name: string): string => {
    const found = pseudoParameters[name === 'Ref' ? id : ''] ?? attributes(id)[name];
    if (found === undefined) {
      throw new TemplateError(`the template refers to ${id}.${name}, which is not known locally`);
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
    throw new TemplateError(`the template uses ${name}, which is not known locally`);
  };

  return {
    find: (type, properties) =>
      Object.entries(resources)
        .filter(([, resource]) => resource.Type === type)
        .map(([id, resource]) => {
          const read = properties.safeParse(resolve(resource.Properties));
          if (!read.success) {
            throw new TemplateError(
              `${id} (${type}) cannot be run: ${z.prettifyError(read.error)}`,
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

/** The types that are run or referred to, and what each answers when it is referred to. */
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

/** Rights, logs, alarms and deployments: they change nothing for one machine. */
const idleTypes = [
  'AWS::IAM::',
  'AWS::Logs::',
  'AWS::CloudWatch::',
  'AWS::KMS::',
  'AWS::Lambda::Permission',
  'AWS::Lambda::EventInvokeConfig',
  'AWS::SQS::QueuePolicy',
  'AWS::SNS::TopicPolicy',
  'AWS::Scheduler::ScheduleGroup',
  'AWS::Events::Rule',
  'AWS::SES::',
  'AWS::ApiGateway::Account',
  'AWS::ApiGateway::Deployment',
  'AWS::ApiGateway::Stage',
  'AWS::ApiGateway::RequestValidator',
  'AWS::CDK::Metadata',
];
const isIdle = (type: string) => idleTypes.some((idle) => type.startsWith(idle));
const idleAttributes = named('idle');

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
