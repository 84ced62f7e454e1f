import { forecastOf } from '#shared/domain/evaluation/forecast.ts';
import { isNoDataWatch, isSourceWatch, type Watch } from '#shared/domain/evaluation/watch.ts';
import { LIMITS } from '#shared/domain/limits.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { readDuration } from '#shared/domain/market/duration.ts';
import { type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import { contractsThatFit, stretchedCadence } from '#shared/domain/polling/cadences.ts';
import { warningsOn } from '#shared/domain/rules/rule-warnings.ts';
import { watchesBetween } from '#shared/domain/watchlists/apply-list.ts';
import { usageTotals } from '#shared/domain/watchlists/quota-usage.ts';
import { walletWarnings } from '#shared/domain/watchlists/wallet-members.ts';
import type { Watchlist } from '#shared/domain/watchlists/watchlist.ts';
import type { Own } from '#shared/http/caller.ts';
import { forecastView } from '#shared/http/forecast-view.ts';
import { paceOfTenant } from '#shared/use-cases/pace-of-tenant.ts';
import { readSnapshot } from '#shared/use-cases/read-snapshot.ts';
import { tryRead } from '#shared/use-cases/try-read.ts';
import type {
  ExpectedCadence,
  ForecastOfChange,
  Warning,
  WatchForecast,
} from './answers/forecast-of-change.ts';
import type { DryRun } from './answers/watchlists.ts';
import type { ManageWatchlistsPorts } from './ports.ts';
import { unknownContractText } from './unknown-contracts.ts';

type ForecastPorts = Pick<
  ManageWatchlistsPorts,
  | 'now'
  | 'getCadences'
  | 'configuredCadenceMinutes'
  | 'hasSecondSource'
  | 'getContract'
  | 'recordedSince'
  | 'getQuotaUsage'
>;

/**
 * How a change of a list affects its watches, with the forecasts of new watches. `unknown` names
 * the contracts that the provider lacks.
 */
export async function forecastOfChange(
  ports: ForecastPorts,
  before: Watchlist | undefined,
  after: Own<Watchlist>,
  unknown: readonly ContractKey[],
): Promise<Pick<DryRun, 'watches' | 'forecast'>> {
  const { begun, ended } = watchesBetween(before, after, ports.now());
  const cadence = await cadenceWith(ports, before, after);
  const warnings: readonly Warning[] = [
    ...walletWarnings(after).map((text) => ({ rule: null, contract: null, text })),
    ...unknown.map((contract) => ({ rule: null, contract, text: unknownContractText(contract) })),
    ...after.rules.flatMap(({ id, ...rule }) =>
      warningsOn(rule, ports.hasSecondSource).map((text) => ({ rule: id, contract: null, text })),
    ),
    ...emptyListWarnings(after),
    ...tooImpatient(after, cadence.minutes),
    ...addedTooLate(before, after, ports.now()),
  ];
  const forecast = { ...(await forecastOfNew(ports, begun, cadence.minutes)), warnings, cadence };
  return { watches: { begun: begun.length, ended }, forecast };
}

/** Warns about rules of a list that watches nothing and will not get contracts by itself. */
function emptyListWarnings({ members, rules, wallet }: Watchlist): readonly Warning[] {
  const isIdle = members.length === 0 && wallet === undefined && rules.length > 0;
  return isIdle ? [{ rule: null, contract: null, text: NO_CONTRACTS }] : [];
}

const NO_CONTRACTS = 'The list has no contracts, so its rules watch nothing.';

/** Warns about rules on missing data that fire between two polls, although prices arrive. */
function tooImpatient({ rules }: Watchlist, minutes: number): readonly Warning[] {
  return rules.flatMap(({ id: rule, noData }) => {
    if (typeof noData !== 'object' || millisecondsOf(noData.alert) >= minutes * MINUTE) return [];
    const text = `Prices are polled every ${Math.ceil(minutes)} min, so "noData" alerts between two polls. Set a longer "alert".`;
    return [{ rule, contract: null, text }];
  });
}

/** Warns about rules that a change adds, although they have expired or expire too early. */
function addedTooLate(
  before: Watchlist | undefined,
  after: Watchlist,
  now: Instant,
): readonly Warning[] {
  return after.rules.flatMap(({ id: rule, expiresAt, for: holds = '' }) => {
    if (expiresAt === undefined || before?.rules.some(({ id }) => id === rule)) return [];
    const left = Date.parse(expiresAt) - now;
    if (left <= 0) return [{ rule, contract: null, text: EXPIRED }];
    return left <= millisecondsOf(holds) ? [{ rule, contract: null, text: TOO_SHORT }] : [];
  });
}

const millisecondsOf = (duration: string) => readDuration(duration) ?? 0;

const EXPIRED = 'The rule has expired. Set a later "expiresAt" to start it.';
const TOO_SHORT =
  'The rule never fires, because it expires before its condition can hold for the time in "for". Set a later "expiresAt" or a shorter "for".';

/**
 * The expected poll interval of the tenant, and how many contracts can be polled at the configured
 * interval.
 */
async function cadenceWith(
  ports: ForecastPorts,
  before: Watchlist | undefined,
  after: Own<Watchlist>,
): Promise<ExpectedCadence> {
  const { tenant } = after;
  const [cadences, quotaUsage, pace] = await Promise.all([
    ports.getCadences(),
    ports.getQuotaUsage(tenant),
    paceOfTenant(ports, tenant),
  ]);
  const promisedMinutes = ports.configuredCadenceMinutes;
  const fitting = contractsThatFit(cadences, tenant);
  const added = after.members.length - (before?.deleted ? 0 : (before?.members.length ?? 0));
  const contracts = usageTotals(quotaUsage).contracts + added;
  const expected =
    fitting === undefined || added <= 0
      ? pace.minutes
      : stretchedCadence(promisedMinutes, contracts / Math.max(Number.EPSILON, fitting));
  return {
    minutes: Math.max(pace.minutes, expected),
    promisedMinutes,
    contractsThatFit: fitting === undefined ? null : Math.floor(fitting),
  };
}

/** The forecasts of new watches, the firing ones first, and the number of omitted watches. */
async function forecastOfNew(
  ports: ForecastPorts,
  begun: readonly Watch[],
  cadenceMinutes: number,
): Promise<Pick<ForecastOfChange, 'watches' | 'leftOut'>> {
  const ofRules = begun.filter((watch) => !isNoDataWatch(watch) && !isSourceWatch(watch));
  const contracts = [...Map.groupBy(ofRules, ({ contract }) => contract)];
  const evaluated = await Promise.all(
    contracts.slice(0, LIMITS.answer.contracts).map(async ([contract, watches]) => {
      const known = await tryRead({ kind: 'contract', id: contract }, () =>
        ports.getContract(contract),
      );
      if (known.unreadable) return [];
      const record = known.found;
      const snapshot = await readSnapshot(ports.recordedSince, record, watches);
      const time = { now: ports.now(), cadenceMinutes };
      return watches.map(
        (watch): WatchForecast => ({
          rule: watch.rule,
          contract,
          forecast: forecastView(forecastOf(watch, snapshot, time)),
        }),
      );
    }),
  );
  const reported = evaluated
    .flat()
    .toSorted((one, other) => Number(fires(other)) - Number(fires(one)))
    .slice(0, LIMITS.answer.entries);
  return { watches: reported, leftOut: ofRules.length - reported.length };
}

const fires = ({ forecast }: WatchForecast) => forecast.code === 'fires';
