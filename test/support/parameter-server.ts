import type { Server } from 'node:http';
import { json } from 'node:stream/consumers';
import * as z from 'zod';
import { createLoopbackServer } from '#infra/local/runtime/loopback.ts';

/** The number of reads in a second that SSM allows an account with standard throughput. */
const READS_PER_SECOND = 40;
const SECOND = 1000;
/** The maximum number of names in one read. */
const NAMES = 10;

/**
 * A fake of SSM with SecureStrings by name. The fake serves only `GetParameters`, and throttles
 * like an account with the standard throughput. A caller may add parameters later.
 */
export function createParameterServer(
  parameters: ReadonlyMap<string, string>,
  now: () => number,
): Server {
  /** The times of the reads in the last second. */
  let served: readonly number[] = [];
  return createLoopbackServer(async (request, response) => {
    const asked = ParametersRequest.safeParse(await json(request));
    const refuse = (type: string, message: string) => {
      response.statusCode = 400;
      response.end(JSON.stringify({ __type: type, message }));
    };
    response.setHeader('content-type', 'application/x-amz-json-1.1');
    served = served.filter((instant) => instant > now() - SECOND);
    if (request.headers['x-amz-target'] !== 'AmazonSSM.GetParameters') {
      return refuse('UnknownOperationException', 'expected AmazonSSM.GetParameters');
    }
    if (served.length >= READS_PER_SECOND) return refuse('ThrottlingException', 'Rate exceeded');
    if (!asked.success) return refuse('ValidationException', asked.error.message);
    served = [...served, now()];
    const names = asked.data.Names;
    response.end(
      JSON.stringify({
        Parameters: names.flatMap((Name) => {
          const Value = parameters.get(Name);
          return Value === undefined ? [] : [{ Name, Type: 'SecureString', Value, Version: 1 }];
        }),
        InvalidParameters: names.filter((name) => !parameters.has(name)),
      }),
    );
  });
}

const ParametersRequest = z.object({
  Names: z
    .array(z.string())
    .min(1)
    .max(NAMES)
    .refine((names) => new Set(names).size === names.length, 'duplicates found in input array'),
  WithDecryption: z.literal(true),
});
