import { useEffect, useState } from 'preact/hooks';
import { answeredAt, isOffline } from '#console/interface/connection.ts';
import { signOut } from '#console/interface/session.ts';
import { span } from '#console/words/times.ts';

/** Whether what is shown is live; a screen reader hears when that changes. */
export function ConnectionStatus() {
  const [, setTick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTick((tick) => tick + 1), 1000);
    return () => clearInterval(timer);
  }, []);
  const since = answeredAt.value;
  const age = since === undefined ? undefined : span(Date.now() - since);
  return (
    <div class="connection">
      <span role="status" class={isOffline.value ? 'live off' : 'live'}>
        {isOffline.value ? 'Offline' : 'Live'}
      </span>
      {isOffline.value && age !== undefined && (
        <span class="quiet">shows what was known {age} ago</span>
      )}
      <button type="button" class="plain" onClick={signOut}>
        Sign out
      </button>
    </div>
  );
}
