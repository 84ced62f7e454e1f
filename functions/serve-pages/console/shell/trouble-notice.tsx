import { useEffect, useState } from 'preact/hooks';
import { answeredAt } from '#console/interface/connection.ts';
import { refreshAll } from '#console/interface/follow.ts';
import { type Trouble, troubles, worstTrouble } from '#console/interface/troubles.ts';
import { span } from '#console/words/times.ts';

/** While the data of a page are not current, shows their age and the reason. */
export function TroubleNotice() {
  const kind = worstTrouble();
  return kind === undefined ? null : <Notice kind={kind} />;
}

function Notice({ kind }: Pick<Trouble, 'kind'>) {
  const [, setTick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTick((tick) => tick + 1), 1000);
    return () => clearInterval(timer);
  }, []);
  const all = [...troubles.value.values()];
  const named = all.find((one) => one.kind === kind && one.reason !== undefined);
  const reason = named?.reason ?? REASONS[kind];
  const times = all.flatMap(({ knownAt }) => knownAt ?? []);
  const oldest = all.length === 0 ? answeredAt.value : times.toSorted((a, b) => a - b)[0];
  const retry = () => {
    for (const one of all) one.retry();
    if (all.length === 0) refreshAll();
  };
  return (
    <div class="notice warning row spread not-current">
      <p>
        {reason} {oldest !== undefined && <>Last update: {span(Date.now() - oldest)} ago.</>}
      </p>
      <button type="button" onClick={retry}>
        Try again
      </button>
    </div>
  );
}

const REASONS: Readonly<Record<Trouble['kind'], string>> = {
  offline: 'You are offline.',
  failed: 'The server reported an error.',
  slow: 'The server is slow to respond.',
};
