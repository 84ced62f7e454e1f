import { useFollowed } from '#console/interface/follow.ts';
import { Title } from '#console/shell/title.tsx';
import { Loading } from '#console/words/loading.tsx';
import { ProblemNotice } from '#console/words/problem-notice.tsx';
import { Keys } from './keys.tsx';
import { PhoneSignIn } from './phone-sign-in.tsx';
import { StackReport } from './stack-report.tsx';
import { UsageReport } from './usage-report.tsx';

/**
 * The page of the stack's state, the tenant's usage, and the tenant's keys. It shows only the
 * sections that the key of the session allows.
 */
export function OperationsPage() {
  const { answer: key, problem } = useFollowed('GET /v1/key');
  if (key === undefined) return problem ? <ProblemNotice problem={problem} /> : <Loading />;
  return (
    <>
      <Title of="Operations" />
      <h1>Operations</h1>
      {key.may.includes('operate') && <StackReport />}
      {key.may.includes('read') && <UsageReport tenant={key.tenant} />}
      {key.may.includes('read') && <PhoneSignIn />}
      {key.may.includes('admin') && <Keys own={key} />}
      {!key.may.includes('admin') && (
        <p class="quiet small">
          To see and create keys, sign in with a key that has the scope “admin”.
        </p>
      )}
    </>
  );
}
