import { operationInWords } from '#shared/domain/polling/part-health.ts';
import type { UpstreamUser } from '#shared/domain/polling/upstream-limits.ts';
import type { StackStatus } from './read-status.ts';

/** A denial by the data provider, as text: `denies the interface the traits search (plan)`. */
export function denialInWords({
  user,
  operation,
  reason,
}: StackStatus['upstream']['denials'][number]): string {
  return `denies ${USERS[user]} ${operationInWords(operation)} (${reason})`;
}

const USERS: Readonly<Record<UpstreamUser, string>> = {
  polling: 'the polls',
  interface: 'the interface',
};
