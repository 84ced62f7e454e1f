import { ask, type Outcome } from '#console/interface/ask.ts';
import type { Answer } from '#console/interface/operations.ts';

type Put = Answer<'PUT /v1/watchlists/{watchlist}'>;
export type DryRun = Extract<Put, { readonly differences: unknown }>;

/** Simulates the replacement of a list by a document. Writes nothing. */
export async function dryRun(watchlist: string, text: string): Promise<Outcome<DryRun>> {
  const outcome = await ask('PUT /v1/watchlists/{watchlist}', {
    ...{ path: { watchlist }, query: { dryRun: 'true' }, text },
  });
  if (outcome.kind !== 'answered') return outcome;
  const { answer, tag } = outcome;
  if (!('differences' in answer))
    throw new Error('the API returned a list for a dry run, expected differences');
  return { kind: 'answered', answer, tag };
}

/** Replaces a revision of a list by a document. If the revision is null, creates the list. */
export async function putList(
  watchlist: string,
  text: string,
  revision: number | null,
): Promise<Outcome<Exclude<Put, DryRun>>> {
  const outcome = await ask('PUT /v1/watchlists/{watchlist}', {
    ...{ path: { watchlist }, text },
    ...(revision === null ? {} : { ifMatch: `"${revision}"` }),
  });
  if (outcome.kind !== 'answered') return outcome;
  const { answer, tag } = outcome;
  if ('differences' in answer)
    throw new Error('the API returned differences for a PUT, expected a list');
  return { kind: 'answered', answer, tag };
}
