import type { ServeApiOutside, Shared } from '#functions/serve-api/outside.ts';
import { createPushKeyReader } from '#shared/clients/push-key.ts';
import { createSeal } from '#shared/clients/sealer.ts';
import { LIMITS } from '#shared/domain/limits.ts';
import { contractGroup, listGroup } from '#shared/domain/messages/groups.ts';
import { searchCollection } from '#shared/http/find-collections.ts';
import { createCharging } from '#shared/http/request-limit.ts';
import { ANSWER_DEADLINE, within } from '#shared/providers/within.ts';
import { hasSecondSource } from '#shared/runtime/upstream-variables.ts';
import { createAcknowledgementStore } from '#shared/stores/acknowledgement-store.ts';
import { createAddressStore } from '#shared/stores/address-store.ts';
import { createAlertStore } from '#shared/stores/alert-store.ts';
import { createChangeCommit } from '#shared/stores/change-commit.ts';
import { createChangeStore } from '#shared/stores/change-store.ts';
import { createChannelStore } from '#shared/stores/channel-store.ts';
import { createCollectionStore } from '#shared/stores/collection-store.ts';
import { createContractStore } from '#shared/stores/contract-store.ts';
import { createHistoryStore } from '#shared/stores/history-store.ts';
import { createJobStore } from '#shared/stores/job-store.ts';
import { createKeyedRequestStore } from '#shared/stores/keyed-request-store.ts';
import { createMuteStore } from '#shared/stores/mute-store.ts';
import { createPollProgressStore } from '#shared/stores/poll-progress-store.ts';
import { createQuotaUsageStore } from '#shared/stores/quota-usage-store.ts';
import { createUsageStore } from '#shared/stores/usage-store.ts';
import { createWatchStore } from '#shared/stores/watch-store.ts';
import { createWatchlistStore } from '#shared/stores/watchlist-store.ts';
import { createDailyShare } from '#shared/use-cases/daily-share.ts';
import { type ReadWalletPorts, readWallet } from '#shared/use-cases/read-wallet.ts';
import type { ManageWatchlistsPorts } from './ports.ts';

export function composeWatchlists(
  outside: ServeApiOutside,
  { environment, table, log, counter, getCadences, providers }: Shared,
): ManageWatchlistsPorts {
  const { now, httpClient, secret, senderTo } = outside;
  const http = httpClient({ deadlineMs: 8000, maxBodyBytes: 1024 * 1024, maxConnections: 1 });
  const wallets: ReadWalletPorts = {
    ...providers.callsOfFirst,
    readHoldings: outside.holdingsReader(
      environment.UPSTREAM_PROVIDER,
      providers.settingsOfFirst(http),
    ),
  };
  const collections = providers.searchBy(http);

  const watchlists = createWatchlistStore(table);
  const jobs = createJobStore(table);
  const mutes = createMuteStore(table);
  const quotaUsage = createQuotaUsageStore(table);
  const requests = createKeyedRequestStore(table);
  const watches = createWatchStore(table);
  const alerts = createAlertStore(table);
  const changes = createChangeStore(table);
  const contracts = createContractStore(table, now);
  const names = createCollectionStore(table);
  const history = createHistoryStore(table);
  const acknowledgements = createAcknowledgementStore(table);
  return {
    now,
    newVersion: outside.uniqueNumber,
    newNumber: outside.uniqueNumber,
    configuredCadenceMinutes: environment.POLL_CADENCE_MINUTES,
    provider: environment.UPSTREAM_PROVIDER,
    hasSecondSource: hasSecondSource(environment),
    webhooks: { destinations: environment.WEBHOOK_DESTINATIONS, ports: environment.WEBHOOK_PORTS },
    sealSecret: createSeal(secret(environment.CHANNEL_PUBLIC_KEY_PARAMETER)),
    getPushKey: createPushKeyReader(secret(environment.PUSH_PUBLIC_KEY_PARAMETER)),
    requestUnitsPerMinute: {
      api: environment.API_UNITS_PER_MINUTE,
      'nft-data': environment.NFT_DATA_UNITS_PER_MINUTE,
    },
    takeAddresses: createDailyShare(
      { now, usage: createUsageStore(table, 'addresses') },
      LIMITS.tenant.newAddresses,
    ),
    charge: createCharging(counter, log),
    searchCollection: (tenant, asked, signal) =>
      searchCollection(collections, tenant, asked, signal),
    readWallet: (tenant, wallet, signal) =>
      within(ANSWER_DEADLINE, signal, (inTime) => readWallet(wallets, tenant, wallet, inTime)),
    sendToContracts: senderTo(environment.CONTRACTS_QUEUE_URL, contractGroup),
    sendToLists: senderTo(environment.LISTS_QUEUE_URL, listGroup),
    report: log.error,
    getRequest: requests.get,
    putRequest: requests.put,
    getCadences,
    getWatchlist: watchlists.get,
    watchlistsOf: watchlists.ofTenant,
    salvageWatchlist: watchlists.salvage,
    watchedContracts: contracts.keys,
    getUsedUnits: (tenant, policy) => createUsageStore(table, policy).get(tenant),
    getAddress: createAddressStore(table).get,
    getQuotaUsage: quotaUsage.get,
    channelsOfList: createChannelStore(table).ofList,
    getMutes: mutes.get,
    getJob: jobs.get,
    countPendingChanges: jobs.countContracts,
    commitChange: createChangeCommit(table),
    getContract: contracts.get,
    getCollection: names.get,
    putCollection: names.put,
    getWatch: watches.get,
    watchesOfList: watches.allOfList,
    watchesOfTenant: watches.allOfTenant,
    getAlert: alerts.get,
    alertsOf: alerts.ofList,
    acknowledgementsOf: acknowledgements.ofList,
    getAcknowledgement: acknowledgements.get,
    getChange: changes.get,
    getChangedDocument: changes.getDocument,
    changesOf: (tenant, limit, after) => changes.ofTenant(tenant, now(), limit, after),
    recordedSince: history.since,
    valueAt: history.valueAt,
    getProgress: createPollProgressStore(table).get,
  };
}
