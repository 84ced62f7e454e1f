import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';
import * as z from 'zod';
import type { Instant } from '#shared/domain/market/instant.ts';

/** Who calls AWS, and where: what Lambda gives each function. */
export const AwsCaller = z.object({
  AWS_REGION: z.string().min(1),
  AWS_ACCESS_KEY_ID: z.string().min(1),
  AWS_SECRET_ACCESS_KEY: z.string().min(1),
  /** Lambda's credentials have one; those of a user have none, or an empty one. */
  AWS_SESSION_TOKEN: z.string().optional(),
});
type AwsCaller = z.output<typeof AwsCaller>;

type AwsRequest = {
  readonly method: 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** Signs requests to a service with the credentials of the function, as the SDK signs. */
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

/** Where a service is asked in a region, found as the SDK finds it. */
export function awsUrl(service: string, region: string): string {
  return `https://${service}.${region}.${DNS_SUFFIXES.get(region.replace(/-.*/, '')) ?? 'amazonaws.com'}`;
}

/** Of the partitions of AWS that have another one than the rest, by what their regions begin with. */
const DNS_SUFFIXES: ReadonlyMap<string, string> = new Map([
  ['cn', 'amazonaws.com.cn'],
  ['eusc', 'amazonaws.eu'],
]);
