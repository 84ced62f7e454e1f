import * as z from 'zod';
import type { Target } from './gateway.ts';
import { GatewayAnswer } from './gateway-answers.ts';
import { account, type ProxyEvent, region } from './proxy-event.ts';

/** Returns the authorizer's context for a request, or throws the gateway's answer. */
export type Authorize = (
  event: ProxyEvent,
  now: number,
) => Promise<Readonly<Record<string, unknown>>>;

/** The location of the caller's identity in a request, and the lifetime of cached policies. */
type AuthorizerSettings = {
  /** `method.request.header.<name>`. */
  readonly IdentitySource: string;
  readonly AuthorizerResultTtlInSeconds: number;
};

/** Calls the authorizer once per identity and caches its policy for the lifetime. */
export function createAuthorizer(
  { IdentitySource, AuthorizerResultTtlInSeconds }: AuthorizerSettings,
  target: Target,
): Authorize {
  const [, header = ''] = /^method\.request\.header\.(.+)$/.exec(IdentitySource) ?? [];
  const kept = new Map<string, { readonly until: number; readonly policy: Policy }>();
  const ask = async (event: ProxyEvent): Promise<Policy> => {
    const { body, isBase64Encoded, ...request } = event;
    try {
      const answer = await target.invoke({
        type: 'REQUEST',
        methodArn: methodArn(event),
        ...request,
      });
      return Policy.parse(answer);
    } catch (error) {
      throw new GatewayAnswer('AUTHORIZER_FAILURE', { cause: error });
    }
  };

  return async (event, now) => {
    const [, identity] =
      Object.entries(event.headers).find(([name]) => name.toLowerCase() === header.toLowerCase()) ??
      [];
    if (!identity) throw new GatewayAnswer('UNAUTHORIZED');
    const known = kept.get(identity);
    const policy = known && known.until > now ? known.policy : await ask(event);
    if (policy !== known?.policy) {
      kept.set(identity, { policy, until: now + AuthorizerResultTtlInSeconds * 1000 });
    }
    const allowed = policy.policyDocument.Statement.some(
      ({ Effect, Resource }) => Effect === 'Allow' && covers(Resource, methodArn(event)),
    );
    const denied = policy.policyDocument.Statement.some(
      ({ Effect, Resource }) => Effect === 'Deny' && covers(Resource, methodArn(event)),
    );
    if (!allowed || denied) throw new GatewayAnswer('ACCESS_DENIED');
    const context = Object.entries(policy.context).map(([name, value]) => [name, String(value)]);
    return {
      principalId: policy.principalId,
      ...Object.fromEntries(context),
      integrationLatency: 0,
    };
  };
}

function methodArn({ httpMethod, path, requestContext: { apiId, stage } }: ProxyEvent): string {
  return `arn:aws:execute-api:${region}:${account}:${apiId}/${stage}/${httpMethod}${path}`;
}

function covers(resources: string | readonly string[], arn: string): boolean {
  return [resources].flat().some((resource) => {
    const pattern = RegExp.escape(resource).replaceAll('\\*', '.*').replaceAll('\\?', '.');
    return new RegExp(`^${pattern}$`).test(arn);
  });
}

const Policy = z.object({
  principalId: z.string(),
  policyDocument: z.object({
    Statement: z.array(
      z.object({
        Effect: z.enum(['Allow', 'Deny']),
        Resource: z.union([z.string(), z.array(z.string())]),
      }),
    ),
  }),
  // The gateway passes on only flat values.
  context: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).default({}),
});
type Policy = z.output<typeof Policy>;
