import type { ServerResponse } from 'node:http';
import * as z from 'zod';
import { constantOf, GatewayAnswer } from './gateway-answers.ts';
import { TemplateError } from './template.ts';

const Json = z.string().transform((text): unknown => JSON.parse(text));

/** What the gateway answers without a function, of what the template may say only what ours does. */
export const OwnAnswer = z.object({
  Type: z.literal('MOCK'),
  PassthroughBehavior: z.literal('NEVER'),
  ContentHandling: z.literal('CONVERT_TO_TEXT'),
  /** By the type of what is sent, which of the answers it is. */
  RequestTemplates: z.record(z.string(), Json.pipe(z.object({ statusCode: z.int() }))),
  IntegrationResponses: z.array(
    z.object({
      StatusCode: z.string(),
      ResponseParameters: z.record(z.string(), z.string()).default({}),
      ResponseTemplates: z.record(z.string(), z.string()).default({}),
    }),
  ),
});
export type OwnAnswer = z.output<typeof OwnAnswer>;

/** Answers by what was sent only as far as its type goes; one that is not known gets a 415. */
export function sendOwnAnswer(
  response: ServerResponse,
  { RequestTemplates, IntegrationResponses }: OwnAnswer,
  sentType = 'application/json',
): void {
  const [type = ''] = sentType.split(';');
  const asked = RequestTemplates[type.trim().toLowerCase()];
  if (asked === undefined) throw new GatewayAnswer('UNSUPPORTED_MEDIA_TYPE');
  const answer = IntegrationResponses.find(
    ({ StatusCode }) => Number(StatusCode) === asked.statusCode,
  );
  if (answer === undefined) throw new TemplateError(`there is no answer ${asked.statusCode}`);
  response.statusCode = asked.statusCode;
  response.setHeader('content-type', 'application/json');
  for (const [name, value] of Object.entries(answer.ResponseParameters)) {
    response.setHeader(name.replace('method.response.header.', ''), constantOf(value));
  }
  response.end(answer.ResponseTemplates['application/json']);
}
