import { ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import { GATEWAY_PROBLEMS } from '#infra/openapi/gateway-problems.ts';

/** Makes the gateway's own answers problem documents (RFC 9457), like those of the functions. */
export function answerWithProblems(api: RestApi, isForPages: boolean): void {
  for (const [id, { occasion, problem }] of Object.entries(GATEWAY_PROBLEMS)) {
    api.addGatewayResponse(id, {
      type: ResponseType.of(occasion),
      statusCode: String(problem.status),
      responseHeaders: {
        'Content-Type': "'application/problem+json'",
        'Cache-Control': "'no-store'",
        ...HEADERS[problem.status],
        ...(id === 'Firewalled' ? FOR_BLOCKED : {}),
        ...(isForPages ? FOR_PAGES : {}),
      },
      templates: { 'application/json': JSON.stringify(problem) },
    });
  }
}

/** They hold no tenant's data, so any page may read them where some may. */
const FOR_PAGES = {
  'Access-Control-Allow-Origin': "'*'",
  'Access-Control-Expose-Headers': "'Retry-After'",
};

/** The firewall counts requests of five minutes, those that it blocks too. */
const FOR_BLOCKED = { 'Retry-After': "'300'" };

/** What some of them say in headers; the gateway wants constants in quotes. */
const HEADERS: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  401: { 'WWW-Authenticate': "'ApiKey'" },
  429: { 'Retry-After': "'1'" },
};
