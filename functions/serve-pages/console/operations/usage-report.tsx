import { useFollowed } from '#console/interface/follow.ts';
import { Loading } from '#console/words/loading.tsx';
import { ProblemNotice } from '#console/words/problem-notice.tsx';
import { Meter } from './meter.tsx';

/** Shows the usage and the limits of the tenant. */
export function UsageReport({ tenant }: { readonly tenant: string }) {
  const { answer, problem } = useFollowed('GET /v1/usage');
  return (
    <section class="panel stack" aria-label="Usage">
      <h2>Usage of {tenant}</h2>
      <ProblemNotice problem={problem} />
      {answer === undefined && problem === undefined && <Loading />}
      {answer !== undefined && (
        <ul class="meters">
          <Meter name="Lists" {...answer.watchlists} />
          <Meter name="Collections" {...answer.contracts} />
          <Meter name="Rules × collections" {...answer.watches} />
          <Meter name="Request units, this minute" {...unitsOf(answer.requests.api)} />
          <Meter name="NFT data units, this minute" {...unitsOf(answer.requests.nftData)} />
        </ul>
      )}
    </section>
  );
}

type Units = { readonly unitsPerMinute: number; readonly left: number };

function unitsOf({ unitsPerMinute, left }: Units) {
  return { used: unitsPerMinute - left, limit: unitsPerMinute };
}
