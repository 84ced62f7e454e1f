import type { IncomingMessage, ServerResponse } from 'node:http';
import * as z from 'zod';
import { constantOf, GatewayAnswer } from './gateway-answers.ts';
import { TemplateError } from './template.ts';

type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
};

/** The answers of a path to `OPTIONS`, and to methods that it does not take. */
export type OtherMethods = {
  readonly toOptions: Answer;
  readonly toOthers: Answer;
  /** A body of another media type is answered with 415. */
  readonly sentTypes: readonly string[];
};

/** The one form of a template that ours has: a status for `OPTIONS`, and one for other methods. */
const TEMPLATE =
  /^#if\(\$context\.httpMethod == "OPTIONS"\)\{"statusCode":(\d{3})\}#else\{"statusCode":(\d{3})\}#end$/;

/** A mock integration, of whose templates only that form is known. */
export const MockIntegration = z
  .object({
    Type: z.literal('MOCK'),
    PassthroughBehavior: z.literal('NEVER'),
    ContentHandling: z.literal('CONVERT_TO_TEXT'),
    /** By the media type of the body. */
    RequestTemplates: z.record(z.string(), z.string().regex(TEMPLATE)),
    IntegrationResponses: z.array(
      z.object({
        StatusCode: z.string(),
        SelectionPattern: z.string(),
        ResponseParameters: z.record(z.string(), z.string()).default({}),
        ResponseTemplates: z.record(z.string(), z.string()).default({}),
      }),
    ),
  })
  .transform(({ Type, RequestTemplates, IntegrationResponses }) => {
    const [template = ''] = Object.values(RequestTemplates);
    const [, options, others] = TEMPLATE.exec(template) ?? [];
    const answerWith = (status: string | undefined): Answer => {
      const found = IntegrationResponses.find((one) => one.SelectionPattern === status);
      if (found === undefined) throw new TemplateError(`there is no answer ${status}`);
      const headers = Object.entries(found.ResponseParameters).map(([name, value]) => [
        name.replace('method.response.header.', ''),
        constantOf(value),
      ]);
      return {
        status: Number(found.StatusCode),
        headers: Object.fromEntries(headers),
        body: found.ResponseTemplates['application/json'] ?? '',
      };
    };
    return {
      Type,
      toOptions: answerWith(options),
      toOthers: answerWith(others),
      sentTypes: Object.keys(RequestTemplates),
    };
  });

/** Answers by the method; of the body only the media type matters. */
export function sendOwnAnswer(
  response: ServerResponse,
  { toOptions, toOthers, sentTypes }: OtherMethods,
  { method, headers }: IncomingMessage,
): void {
  const [type = ''] = (headers['content-type'] ?? 'application/json').split(';');
  if (!sentTypes.includes(type.trim().toLowerCase())) {
    throw new GatewayAnswer('UNSUPPORTED_MEDIA_TYPE');
  }
  const answer = method === 'OPTIONS' ? toOptions : toOthers;
  response.statusCode = answer.status;
  response.setHeader('content-type', 'application/json');
  for (const [name, value] of Object.entries(answer.headers)) response.setHeader(name, value);
  response.end(answer.body);
}
