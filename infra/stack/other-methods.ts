import { Validations } from 'aws-cdk-lib';
import {
  AuthorizationType,
  ContentHandling,
  type IResource,
  MockIntegration,
  PassthroughBehavior,
  type RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { type OwnAnswer, otherMethodAnswers, SENT_TYPES } from '#infra/http/own-answers.ts';

/**
 * Makes each path return 204 for `OPTIONS`, and 405 with the supported methods for any unsupported
 * method. The gateway responds itself, so a request without a key starts no function. One `ANY`
 * method per path does both, because a stack holds at most 500 resources.
 */
export function answerOtherMethods(api: RestApi, isForPages: boolean): void {
  const taken = Map.groupBy(api.methods, ({ resource }) => resource);
  for (const [resource, methods] of taken) {
    const names = methods.map(({ httpMethod }) => httpMethod);
    addAnswers(resource, otherMethodAnswers(names, isForPages));
  }
}

function addAnswers(
  resource: IResource,
  { toOptions, toOthers }: ReturnType<typeof otherMethodAnswers>,
): void {
  const template = `#if($context.httpMethod == "OPTIONS"){"statusCode":${toOptions.status}}#else{"statusCode":${toOthers.status}}#end`;
  const integration = new MockIntegration({
    // The gateway treats every body as binary, and templates apply only to text.
    contentHandling: ContentHandling.CONVERT_TO_TEXT,
    // The body is ignored, but the gateway selects the template by its type and rejects other types
    // with 415.
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
    reason: 'The response only lists the methods of the path.',
  });
}

/** Maps header names to the parameter names of API Gateway. */
function mapped<Value>(
  headers: OwnAnswer['headers'],
  to: (value: string) => Value,
): Readonly<Record<string, Value>> {
  const entries = Object.entries(headers);
  return Object.fromEntries(
    entries.map(([name, value]) => [`method.response.header.${name}`, to(value)]),
  );
}
