import { ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import { problemAnswers } from '#infra/http/own-answers.ts';

/**
 * Makes the gateway's own error responses problem documents (RFC 9457), like those of functions.
 */
export function answerWithProblems(api: RestApi, isForPages: boolean): void {
  for (const [id, { occasion, status, headers, body }] of Object.entries(
    problemAnswers(isForPages),
  )) {
    api.addGatewayResponse(id, {
      type: ResponseType.of(occasion),
      statusCode: String(status),
      // API Gateway expects constants in quotes.
      responseHeaders: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, `'${value}'`]),
      ),
      templates: { 'application/json': JSON.stringify(body) },
    });
  }
}
