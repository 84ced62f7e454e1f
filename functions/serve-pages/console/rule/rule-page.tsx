import { ONCE, useFollowed } from '#console/interface/follow.ts';
import { linkTo } from '#console/shell/place.ts';
import { Loading } from '#console/words/loading.tsx';
import { ProblemNotice } from '#console/words/problem-notice.tsx';
import { RuleForm } from './rule-form.tsx';
import type { ReadRule } from './rules.ts';

type RulePageProps = {
  readonly contract: string;
  readonly watchlist: string;
  /** The id of a rule, or `new`. */
  readonly rule: string;
};

/** The page that creates or edits a rule. */
export function RulePage(props: RulePageProps) {
  return props.rule === 'new' ? <Editor {...props} read={undefined} /> : <KnownRule {...props} />;
}

/**
 * Edits an existing rule. The page reads the rule only once, so the API reports a later change by
 * somebody else as a conflict.
 */
function KnownRule(props: RulePageProps) {
  const { contract, watchlist, rule } = props;
  const { answer, tag, problem } = useFollowed(
    'GET /v1/watchlists/{watchlist}/rules/{rule}',
    { path: { watchlist, rule } },
    ONCE,
  );
  if (answer !== undefined) return <Editor {...props} read={{ rule: answer.rule, tag }} />;
  if (problem === undefined) return <Loading />;
  return (
    <>
      {problem.status === 404 ? (
        <p class="notice">
          The list “{watchlist}” has no rule “{rule}”. The rule may have been deleted.
        </p>
      ) : (
        <ProblemNotice problem={problem} />
      )}
      <p>
        <a href={linkTo('collections', contract)}>All rules on the collection</a>
      </p>
    </>
  );
}

function Editor({
  contract,
  watchlist,
  read,
}: RulePageProps & { readonly read: ReadRule | undefined }) {
  const { answer: list, problem } = useFollowed('GET /v1/watchlists/{watchlist}', {
    path: { watchlist },
  });
  const { answer: metrics } = useFollowed('GET /v1/metrics');
  if (metrics === undefined || list === undefined) {
    return problem ? <ProblemNotice problem={problem} /> : <Loading />;
  }
  return <RuleForm contract={contract} list={list} metrics={metrics.metrics} read={read} />;
}
