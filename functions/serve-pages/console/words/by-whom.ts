import type { Answer } from '#console/interface/operations.ts';

type Actor = Answer<'GET /v1/changes'>['changes'][number]['by'];

/**
 * The actor of a change: `by Kim`; `by Ada via Slack #desk`; `via Slack #desk` if the person who
 * opened the link gave no name.
 */
export function byWhom({ key, name, via }: Actor): string {
  if (via === null) return `by ${name || key}`;
  return name === '' ? `via ${via}` : `by ${name} via ${via}`;
}
