import * as z from 'zod';
import { Authorizer, createAuthorizer } from './authorizer.ts';
import type { LocalApi, Target } from './gateway.ts';
import { readGatewayAnswers } from './gateway-answers.ts';
import { MockIntegration } from './own-answer.ts';
import { type Stack, TemplateError } from './template.ts';

/** The REST API of a template. */
export function templateApi(stack: Stack, functionOf: (arn: string) => Target): LocalApi {
  const parts = new Map(
    stack
      .find('AWS::ApiGateway::Resource', z.object({ ParentId: z.string(), PathPart: z.string() }))
      .map(({ ref, properties }) => [ref, properties]),
  );
  const pathOf = (id: string): string => {
    const part = parts.get(id);
    return part ? `${pathOf(part.ParentId)}/${part.PathPart}` : '';
  };
  const targetOf = (uri: string) => {
    const [, arn] = /\/functions\/(.+)\/invocations$/.exec(uri) ?? [];
    if (arn === undefined) throw new TemplateError(`${uri} names no function`);
    return functionOf(arn);
  };
  const authorizers = new Map(
    stack
      .find('AWS::ApiGateway::Authorizer', Authorizer)
      .map(({ ref, properties }) => [
        ref,
        createAuthorizer(properties, targetOf(properties.AuthorizerUri)),
      ]),
  );
  const routes = stack
    .find('AWS::ApiGateway::Method', MethodProperties)
    .map(({ id, properties }) => {
      const authorize = authorizers.get(properties.AuthorizerId ?? '');
      if (properties.AuthorizationType === 'CUSTOM' && !authorize) {
        throw new TemplateError(`${id} names no authorizer of the template`);
      }
      const path = pathOf(properties.ResourceId) || '/';
      const { HttpMethod: method, Integration } = properties;
      const route = { method, path, parts: path.split('/') };
      return Integration.Type === 'MOCK'
        ? { ...route, answer: Integration }
        : { ...route, target: targetOf(Integration.Uri), authorize };
    });
  const [api] = stack.find('AWS::ApiGateway::RestApi', ApiProperties);
  return {
    routes,
    answers: readGatewayAnswers(stack),
    isBase64Encoded: api?.properties.BinaryMediaTypes.includes('*/*') ?? false,
  };
}

const ApiProperties = z.object({ BinaryMediaTypes: z.array(z.string()).default([]) });

const MethodProperties = z.object({
  HttpMethod: z.string(),
  ResourceId: z.string(),
  AuthorizationType: z.enum(['CUSTOM', 'NONE']),
  AuthorizerId: z.string().optional(),
  Integration: z.discriminatedUnion('Type', [
    z.object({ Type: z.literal('AWS_PROXY'), Uri: z.string() }),
    MockIntegration,
  ]),
});
