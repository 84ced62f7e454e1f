import { LIMITS } from '#shared/domain/limits.ts';
import { cadenceOf } from '#shared/domain/polling/due-work.ts';
import { warningsOn } from '#shared/domain/rules/rule-warnings.ts';
import { orUnreadable } from '#shared/domain/unreadable.ts';
import { outlookOf, outlookView } from '#shared/domain/watching/outlook.ts';
import { readEvidence } from '#shared/domain/watching/read-evidence.ts';
import { isCompanion, type Watch } from '#shared/domain/watching/watch.ts';
import { watchesBetween } from '#shared/domain/watchlists/apply-list.ts';
import type { Watchlist } from '#shared/domain/watchlists/watchlist.ts';
import type { ManageWatchlistsPorts } from './ports.ts';

type OutlookPorts = Pick<
  ManageWatchlistsPorts,
  'now' | 'getCadences' | 'configuredCadenceMinutes' | 'getContract' | 'recordedSince'
>;

/** What a change of a list does to its watches, and what the next answers will make of new ones. */
export async function outlookOfChange(
  ports: OutlookPorts,
  before: Watchlist | undefined,
  after: Watchlist,
) {
  const { begun, ended } = watchesBetween(before, after, ports.now());
  const warnings = after.rules.flatMap((rule) =>
    warningsOn(rule).map((text) => ({ rule: rule.id, text })),
  );
  const cadenceMinutes = await cadenceOf(ports, after.tenant);
  const outlook = { ...(await outlookOfNew(ports, begun, cadenceMinutes)), warnings };
  return { watches: { begun: begun.length, ended }, outlook };
}

/** As far as a page goes: those that fire first, and how many more there are. */
async function outlookOfNew(ports: OutlookPorts, begun: readonly Watch[], cadenceMinutes: number) {
  const ofRules = begun.filter((watch) => !isCompanion(watch));
  const contracts = [...Map.groupBy(ofRules, ({ contract }) => contract)];
  const looked = await Promise.all(
    contracts.slice(0, LIMITS.answer.contracts).map(async ([contract, watches]) => {
      const known = await orUnreadable({ kind: 'contract', id: contract }, () =>
        ports.getContract(contract),
      );
      if (known.unreadable) return [];
      const record = known.found;
      const evidence =
        record === undefined
          ? { parts: {} }
          : await readEvidence(ports.recordedSince, record, watches);
      const time = { now: ports.now(), cadenceMinutes };
      return watches.map((watch) => ({
        rule: watch.rule,
        contract,
        outlook: outlookView(outlookOf(watch, evidence, time)),
      }));
    }),
  );
  const told = looked
    .flat()
    .toSorted((one, other) => Number(fires(other)) - Number(fires(one)))
    .slice(0, LIMITS.answer.entries);
  return { watches: told, leftOut: ofRules.length - told.length };
}

type Told = { readonly outlook: { readonly code: string } };

const fires = ({ outlook }: Told) => outlook.code === 'fires';
