import { createUpstreamGovernor } from '#shared/clients/upstream-governor.ts';
import type { NftDataSources } from '#shared/domain/nft-data/sources.ts';
import type { UpstreamLimits } from '#shared/domain/polling/upstream-limits.ts';
import { createAnswerStore, type TextPacker } from '#shared/stores/answer-store.ts';
import { createArchiveStore } from '#shared/stores/archive-store.ts';
import type { BatchTable } from '#shared/stores/bulk-table.ts';
import { createGovernorStore } from '#shared/stores/governor-store.ts';
import type { MainUpstream, Upstream } from '#shared/use-cases/upstream.ts';
import { createArchiveSource } from './archive-source.ts';
import { chooseSource } from './choose-source.ts';
import { inTurn } from './in-turn.ts';
import type { ServeNftDataPorts } from './routes.ts';
import { createSharedAnswers, type SharedAnswersPorts } from './shared-answers.ts';
import { createUpstreamSource } from './upstream-source.ts';

type Outside = Pick<ServeNftDataPorts, 'now' | 'takeCall' | 'countRequest'> &
  Pick<SharedAnswersPorts, 'sleepUntil' | 'report'> & {
    readonly table: BatchTable;
    readonly limits: UpstreamLimits;
    readonly upstream: Pick<MainUpstream, 'answer'>;
    readonly others: readonly {
      readonly limits: UpstreamLimits;
      readonly upstream: Pick<Upstream, 'answer'>;
    }[];
    readonly sources: NftDataSources;
    readonly packer: TextPacker;
  };

/** The ports of one instance of this function. */
export function composeServeNftData(outside: Outside): ServeNftDataPorts {
  const { table, limits, upstream, others, sources, packer, sleepUntil, report, ...ports } =
    outside;
  const { now } = ports;
  const sourceOf = (limitsOfKey: UpstreamLimits, answer: MainUpstream['answer']) => {
    const records = createGovernorStore(table, limitsOfKey.provider);
    const { lease, learn } = createUpstreamGovernor(records, 'interface', limitsOfKey, now);
    return createUpstreamSource({ now, sleepUntil, leaseCalls: lease, learnOfCall: learn, answer });
  };
  const otherSources = others.flatMap((other) => {
    const { answer } = other.upstream;
    if (answer === undefined) return [];
    return [{ provider: other.limits.provider, ask: sourceOf(other.limits, answer) }];
  });
  const answers = createAnswerStore(table, packer);
  const shared = createSharedAnswers({
    now,
    sleepUntil,
    getAnswer: answers.get,
    putAnswer: answers.put,
    askUpstream: inTurn(sourceOf(limits, upstream.answer), otherSources, now),
    report,
  });
  const archive = createArchiveSource({ now, ...createArchiveStore(table) });
  return { ...ports, ...chooseSource(sources, shared, archive) };
}
