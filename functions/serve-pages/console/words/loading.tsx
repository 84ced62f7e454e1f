import { worstTrouble } from '#console/interface/troubles.ts';

/** Shown until the first answer arrives. */
export function Loading() {
  const kind = worstTrouble();
  return (
    <p class="empty" role="status">
      {kind === undefined ? 'Loading…' : WORDS[kind]}
    </p>
  );
}

const WORDS = {
  offline: 'Not loaded: there is no connection.',
  failed: 'Not loaded: the server reported an error.',
  slow: 'The server is slow. Waiting for a response…',
} as const;
