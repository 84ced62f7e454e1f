import { useEffect, useState } from 'preact/hooks';
import { useFollowed } from '#console/interface/follow.ts';
import { Loading } from '#console/words/loading.tsx';
import { RuleForm } from './rule-form.tsx';
import { type ReadRule, readRule } from './rules.ts';

type RulePageProps = {
  readonly contract: string;
  readonly watchlist: string;
  /** The id of a rule, or `new`. */
  readonly rule: string;
};

/** Makes or edits a rule, in one sentence; beside it is what it would have sent. */
export function RulePage({ contract, watchlist, rule: id }: RulePageProps) {
  const isNew = id === 'new';
  const [read, setRead] = useState<ReadRule>();
  const [isMissing, setMissing] = useState(false);
  const { answer: list } = useFollowed('GET /v1/watchlists/{watchlist}', { path: { watchlist } });
  const { answer: metrics } = useFollowed('GET /v1/metrics');
  useEffect(() => {
    if (isNew) return;
    void readRule(watchlist, id).then((found) => {
      if (found === undefined) setMissing(true);
      else setRead(found);
    });
  }, [watchlist, id]);

  if (isMissing) return <p class="notice">There is no such rule any more.</p>;
  if (metrics === undefined || list === undefined || (!isNew && read === undefined)) {
    return <Loading />;
  }
  return <RuleForm contract={contract} list={list} metrics={metrics.metrics} read={read} />;
}
