import { Validations } from 'aws-cdk-lib';
import {
  AuthorizationType,
  ContentHandling,
  type IResource,
  MockIntegration,
  PassthroughBehavior,
  type RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { ProblemError } from '#shared/http/problem.ts';

/** What the gateway answers itself, in the form in which it wants it. */
type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: object;
};

/**
 * Has each path answer any other method with 405 and what it takes, and `OPTIONS` with 204. The
 * gateway does so itself: a request without a key starts no function. One method of the template says
 * both: a stack holds 500 resources at most.
 */
export function answerOtherMethods(api: RestApi, isForPages: boolean): void {
  const taken = Map.groupBy(api.methods, ({ resource }) => resource);
  for (const [resource, methods] of taken) {
    const names = methods.map(({ httpMethod }) => httpMethod);
    const allow = [...names, 'OPTIONS'].join(', ');
    const problem = new ProblemError(`this path takes ${names.join(', ')}`, {
      type: 'method_not_allowed',
    });
    addAnswers(
      resource,
      {
        status: 204,
        headers: { Allow: allow, ...(isForPages ? preflightHeaders(allow) : {}) },
      },
      {
        status: problem.status,
        headers: {
          Allow: allow,
          'Content-Type': 'application/problem+json',
          'Cache-Control': 'no-store',
          ...(isForPages ? ANY_PAGE : {}),
        },
        body: { ...problem.toJSON(), message: problem.message },
      },
    );
  }
}

/**
 * Any page may ask what it may send: a request means nothing without a key, and which pages may read
 * its answer, the answer says.
 */
const ANY_PAGE = { 'Access-Control-Allow-Origin': '*' };

/** What a browser asks before it sends a request. */
function preflightHeaders(methods: string): Answer['headers'] {
  return {
    ...ANY_PAGE,
    'Access-Control-Allow-Methods': methods,
    'Access-Control-Allow-Headers':
      'X-API-Key, Content-Type, If-Match, If-None-Match, Idempotency-Key',
    'Access-Control-Max-Age': '7200',
  };
}

function addAnswers(resource: IResource, toOptions: Answer, toOthers: Answer): void {
  const template = `#if($context.httpMethod == "OPTIONS"){"statusCode":${toOptions.status}}#else{"statusCode":${toOthers.status}}#end`;
  const integration = new MockIntegration({
    // The gateway takes all that is sent for binary, of which no template is made.
    contentHandling: ContentHandling.CONVERT_TO_TEXT,
    // What is sent is not read; but the gateway goes by its type, and refuses others with 415.
    passthroughBehavior: PassthroughBehavior.NEVER,
    requestTemplates: Object.fromEntries(SENT_TYPES.map((type) => [type, template])),
    integrationResponses: [toOptions, toOthers].map(({ status, headers, body }) => ({
      statusCode: String(status),
      selectionPattern: String(status),
      responseParameters: mapped(headers, (value) => `'${value}'`),
      responseTemplates: { 'application/json': body === undefined ? '' : JSON.stringify(body) },
    })),
  });
  const method = resource.addMethod('ANY', integration, {
    authorizationType: AuthorizationType.NONE,
    methodResponses: [toOptions, toOthers].map(({ status, headers }) => ({
      statusCode: String(status),
      responseParameters: mapped(headers, () => false),
    })),
  });
  Validations.of(method).acknowledge({
    id: 'AwsSolutions::AwsSolutions-APIG4',
    reason: 'The answer only lists the methods of the path.',
  });
}

/** By the names under which the gateway knows headers of an answer. */
function mapped<Value>(
  headers: Answer['headers'],
  to: (value: string) => Value,
): Readonly<Record<string, Value>> {
  const entries = Object.entries(headers);
  return Object.fromEntries(
    entries.map(([name, value]) => [`method.response.header.${name}`, to(value)]),
  );
}

const SENT_TYPES = [
  'application/json',
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/octet-stream',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'text/plain',
];
