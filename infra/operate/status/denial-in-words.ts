import { operationInWords } from '#shared/domain/polling/part-health.ts';
import type { UpstreamUser } from '#shared/domain/polling/upstream-limits.ts';
import type { ProviderStatus } from './read-status.ts';

/** What a provider denies, as text: `denies the interface the traits search (plan)`. */
export function denialInWords({
  user,
  operation,
  reason,
}: ProviderStatus['denials'][number]): string {
  return `denies ${USERS[user]} ${operationInWords(operation)} (${reason})`;
}

const USERS: Readonly<Record<UpstreamUser, string>> = {
  polling: 'the polls',
  interface: 'the interface',
};
