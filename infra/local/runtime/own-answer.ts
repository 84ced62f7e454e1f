import type { IncomingMessage, ServerResponse } from 'node:http';
import * as z from 'zod';
import { constantOf, GatewayAnswer } from './gateway-answers.ts';
import { TemplateError } from './template.ts';

/** The one form of a template that ours has: a status for `OPTIONS`, and one for other methods. */
const TEMPLATE =
  /^#if\(\$context\.httpMethod == "OPTIONS"\)\{"statusCode":(\d{3})\}#else\{"statusCode":(\d{3})\}#end$/;

const StatusTemplate = z
  .string()
  .regex(TEMPLATE)
  .transform((text) => {
    const [, toOptions = '', toOthers = ''] = TEMPLATE.exec(text) ?? [];
    return { toOptions, toOthers };
  });

/** What the gateway answers without a function, of what the template may say only what ours does. */
export const OwnAnswer = z.object({
  Type: z.literal('MOCK'),
  PassthroughBehavior: z.literal('NEVER'),
  ContentHandling: z.literal('CONVERT_TO_TEXT'),
  /** By the type of what is sent, which of the answers it is. */
  RequestTemplates: z.record(z.string(), StatusTemplate),
  IntegrationResponses: z.array(
    z.object({
      StatusCode: z.string(),
      SelectionPattern: z.string(),
      ResponseParameters: z.record(z.string(), z.string()).default({}),
      ResponseTemplates: z.record(z.string(), z.string()).default({}),
    }),
  ),
});
export type OwnAnswer = z.output<typeof OwnAnswer>;

/**
 * Answers by the method, and by what was sent only as far as its type goes; one that is not known
 * gets a 415.
 */
export function sendOwnAnswer(
  response: ServerResponse,
  { RequestTemplates, IntegrationResponses }: OwnAnswer,
  { method, headers }: IncomingMessage,
): void {
  const [type = ''] = (headers['content-type'] ?? 'application/json').split(';');
  const template = RequestTemplates[type.trim().toLowerCase()];
  if (template === undefined) throw new GatewayAnswer('UNSUPPORTED_MEDIA_TYPE');
  const status = method === 'OPTIONS' ? template.toOptions : template.toOthers;
  const answer = IntegrationResponses.find(({ SelectionPattern }) => SelectionPattern === status);
  if (answer === undefined) throw new TemplateError(`there is no answer ${status}`);
  response.statusCode = Number(answer.StatusCode);
  response.setHeader('content-type', 'application/json');
  for (const [name, value] of Object.entries(answer.ResponseParameters)) {
    response.setHeader(name.replace('method.response.header.', ''), constantOf(value));
  }
  response.end(answer.ResponseTemplates['application/json']);
}
