import type { ServerResponse } from 'node:http';

/** An answer of the gateway itself; `type` is AWS's name of the response type. */
export class GatewayAnswer extends Error {
  readonly code = 'gateway_answer';
  readonly type: string;

  constructor(type: string, options?: ErrorOptions) {
    super(`the gateway responded with ${type}`, options);
    this.type = type;
  }
}

/** The gateway's own answers by type. The text of a body may use members of `$context`. */
export type GatewayAnswers = ReadonlyMap<
  string,
  {
    readonly status: number | undefined;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string | undefined;
  }
>;

/** Sends an answer of the gateway itself. */
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

/** The default answer of the gateway for a response type that the stack does not define. */
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
