import { BYTES_OF_A_UNIT, REQUEST_UNITS } from '#shared/domain/access/request-units.ts';
import type { Operation } from './operation.ts';

const { read, readAllLists, change, affectedContract, preview } = REQUEST_UNITS.api;

export const RateLimit =
  'The remaining units of the tenant, and the seconds until all units are available again.';
const headers = {
  RateLimit,
  'RateLimit-Policy': `The units of a tenant per minute. A read takes ${read}, or ${readAllLists} if it reads all lists. A change takes ${change}, and ${affectedContract} more for each contract that it affects. A preview takes ${preview}. Each ${BYTES_OF_A_UNIT / 1024} kB of the request and its response takes one more unit.`,
};

/** Adds the rate-limit headers and problems: requests with a key count against the limit. */
export function limited({ answers, problems, problemHeaders, ...operation }: Operation): Operation {
  const reported = Object.entries(answers).map(([status, answer]) => [
    status,
    { ...answer, headers: { ...answer.headers, ...headers } },
  ]);
  return {
    ...operation,
    answers: Object.fromEntries(reported),
    problems: [...problems, 'throttled'],
    problemHeaders: { ...problemHeaders, ...headers },
  };
}
