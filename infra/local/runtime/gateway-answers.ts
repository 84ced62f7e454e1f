import type { ServerResponse } from 'node:http';
import * as z from 'zod';
import type { Stack } from './template.ts';

/** An answer that the gateway gives itself, by the name that the template knows it by. */
export class GatewayAnswer extends Error {
  readonly code = 'gateway_answer';
  readonly type: string;

  constructor(type: string, options?: ErrorOptions) {
    super(`the gateway answered ${type}`, options);
    this.type = type;
  }
}

/** The gateway's own answers by their types. Texts of a body may name members of `$context`. */
export type GatewayAnswers = ReadonlyMap<
  string,
  {
    readonly status: number | undefined;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string | undefined;
  }
>;

export function readGatewayAnswers(stack: Stack): GatewayAnswers {
  const found = stack.find('AWS::ApiGateway::GatewayResponse', AnswerProperties);
  return new Map(
    found.map(({ properties: { ResponseType, StatusCode, ...made } }) => [
      ResponseType,
      {
        status: StatusCode === undefined ? undefined : Number(StatusCode),
        headers: Object.fromEntries(
          Object.entries(made.ResponseParameters).map(([name, value]) => [
            name.replace('gatewayresponse.header.', ''),
            constantOf(value),
          ]),
        ),
        body: made.ResponseTemplates['application/json'],
      },
    ]),
  );
}

/** Answers in the gateway's own name. */
export function sendGatewayAnswer(
  response: ServerResponse,
  answers: GatewayAnswers,
  type: string,
  { requestId, path }: { readonly requestId: string; readonly path: string },
): void {
  const { status, message } = defaultOf(type);
  const fallback = status >= 500 ? 'DEFAULT_5XX' : 'DEFAULT_4XX';
  const answer = answers.get(type) ?? answers.get(fallback);
  const context: Readonly<Record<string, string>> = {
    'error.message': message,
    'error.messageString': JSON.stringify(message),
    'error.responseType': type,
    requestId,
    path,
  };
  const body = (answer?.body ?? defaultAnswer).replace(
    /\$context\.([\w.]*\w)/g,
    (_whole, name: string) => context[name] ?? '',
  );
  response.statusCode = answer?.status ?? status;
  response.setHeader('content-type', 'application/json');
  for (const [name, value] of Object.entries(answer?.headers ?? {})) {
    response.setHeader(name, value);
  }
  response.end(body);
}

/** What the gateway answers where the template says nothing. */
export const defaultOf = (type: string) =>
  gatewayDefaults[type] ?? { status: 502, message: 'Internal server error' };
const defaultAnswer = '{"message":$context.error.messageString}';
const gatewayDefaults: Readonly<
  Record<string, { readonly status: number; readonly message: string }>
> = {
  UNAUTHORIZED: { status: 401, message: 'Unauthorized' },
  ACCESS_DENIED: { status: 403, message: 'User is not authorized to access this resource' },
  MISSING_AUTHENTICATION_TOKEN: { status: 403, message: 'Missing Authentication Token' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: 'Unsupported Media Type' },
  REQUEST_TOO_LARGE: { status: 413, message: 'Request Too Long' },
  AUTHORIZER_FAILURE: { status: 500, message: 'Internal server error' },
  INTEGRATION_TIMEOUT: { status: 504, message: 'Endpoint request timed out' },
};

const AnswerProperties = z.object({
  ResponseType: z.string(),
  StatusCode: z.string().optional(),
  ResponseParameters: z.record(z.string(), z.string()).default({}),
  ResponseTemplates: z.record(z.string(), z.string()).default({}),
});

/** A header's value, which the gateway wants in quotes where it is a constant. */
export function constantOf(value: string): string {
  return value.replace(/^'(.*)'$/, '$1');
}
