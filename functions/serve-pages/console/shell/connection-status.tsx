import { answeredAt } from '#console/interface/connection.ts';
import { signOut } from '#console/interface/session.ts';
import { type Trouble, worstTrouble } from '#console/interface/troubles.ts';

/** Shows whether the page is live. Screen readers announce a change. */
export function ConnectionStatus() {
  const kind = worstTrouble();
  const words = kind === undefined ? (answeredAt.value ? 'Live' : 'Connecting…') : WORDS[kind];
  return (
    <div class="connection">
      <span role="status" class={words === 'Live' ? 'live' : 'live off'}>
        {words}
      </span>
      <button type="button" class="plain" onClick={signOut}>
        Sign out
      </button>
    </div>
  );
}

const WORDS: Readonly<Record<Trouble['kind'], string>> = {
  offline: 'Offline',
  failed: 'Error',
  slow: 'Slow',
};
