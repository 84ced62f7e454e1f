import { BYTES_OF_A_UNIT, REQUEST_UNITS } from '#shared/domain/access/request-units.ts';
import type { Operation } from './operation.ts';

const { read, readAllLists, change, affectedContract, preview } = REQUEST_UNITS.api;

const headers = {
  RateLimit: 'The units that are left to the tenant, and the seconds until all are there again.',
  'RateLimit-Policy': `The units that a tenant may use in a minute: a read takes ${read}, or ${readAllLists} where all lists are read, a change ${change} and ${affectedContract} for each contract that it is about, a preview ${preview}; each ${BYTES_OF_A_UNIT / 1024} kB of a request with its answer take one more.`,
};

/** Operations whose requests are counted: those that ask for a key. */
export function withLimits(
  operations: Readonly<Record<string, Operation>>,
): Readonly<Record<string, Operation>> {
  return Object.fromEntries(
    Object.entries(operations).map(([route, operation]) => [
      route,
      operation.access === 'public' ? operation : limited(operation),
    ]),
  );
}

function limited({ answers, problems, problemHeaders, ...operation }: Operation): Operation {
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
