import type { Answer } from '#console/interface/operations.ts';

export type Episode = Answer<'GET /v1/episodes'>['episodes'][number];

/** The newest alert of an episode, except for acknowledgements. */
export function newestOf({ timeline }: Episode): Episode['timeline'][number] | undefined {
  return timeline.findLast(({ kind }) => kind !== 'acknowledged');
}
