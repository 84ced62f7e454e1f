import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';
import * as z from 'zod';
import type { Instant } from '#shared/domain/market/instant.ts';

/** The credentials and the region that Lambda provides to each function. */
export const AwsCaller = z.object({
  AWS_REGION: z.string().min(1),
  AWS_ACCESS_KEY_ID: z.string().min(1),
  AWS_SECRET_ACCESS_KEY: z.string().min(1),
  /** Only Lambda's credentials have a session token. For an IAM user it is absent or empty. */
  AWS_SESSION_TOKEN: z.string().optional(),
});
type AwsCaller = z.output<typeof AwsCaller>;

type AwsRequest = {
  readonly method: 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** Signs requests to a service with the credentials of the function, like the SDK. */
export function createAwsSigner(caller: AwsCaller, service: string, now: () => Instant) {
  const signer = new SignatureV4({
    service,
    region: caller.AWS_REGION,
    credentials: {
      accessKeyId: caller.AWS_ACCESS_KEY_ID,
      secretAccessKey: caller.AWS_SECRET_ACCESS_KEY,
      ...(caller.AWS_SESSION_TOKEN && { sessionToken: caller.AWS_SESSION_TOKEN }),
    },
    sha256: Sha256,
  });
  return async ({ method, url, headers, body }: AwsRequest): Promise<AwsRequest> => {
    const { protocol, hostname, pathname: path, host } = url;
    const request = { method, protocol, hostname, path, headers: { host, ...headers }, body };
    const signed = await signer.sign(request, { signingDate: new Date(now()) });
    return { method, url, headers: signed.headers, body };
  };
}

/** The URL of a service in a region, determined as in the SDK. */
export function awsUrl(service: string, region: string): string {
  return `https://${service}.${region}.${DNS_SUFFIXES.get(region.replace(/-.*/, '')) ?? 'amazonaws.com'}`;
}

/**
 * The DNS suffixes of AWS partitions that do not use `amazonaws.com`, by the first part of their
 * region names.
 */
const DNS_SUFFIXES: ReadonlyMap<string, string> = new Map([
  ['cn', 'amazonaws.com.cn'],
  ['eusc', 'amazonaws.eu'],
]);
