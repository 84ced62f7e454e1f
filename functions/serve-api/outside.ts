import type { HttpClient } from '#shared/clients/http-client.ts';
import type { RequestCounter } from '#shared/http/count-request.ts';
import type { CollectionPorts } from '#shared/http/find-collections.ts';
import type { Basics, Outside } from '#shared/outside/outside.ts';
import type { ProviderSettings } from '#shared/providers/call-provider.ts';
import type { Log } from '#shared/runtime/log.ts';
import type { ConfiguredProvider } from '#shared/runtime/upstream-variables.ts';
import type { CadenceStore } from '#shared/stores/cadence-store.ts';
import type { Table } from '#shared/stores/table.ts';
import type { ServeApiEnvironment } from './environment.ts';

export type ServeApiOutside = Basics &
  Pick<
    Outside,
    'holdingsReader' | 'httpClient' | 'queueDepth' | 'secret' | 'senderTo' | 'table' | 'upstream'
  >;

/** The ports that the routes of all resources share. */
export type Shared = {
  readonly environment: ServeApiEnvironment;
  readonly table: Table;
  readonly log: Log;
  readonly counter: RequestCounter;
  readonly getCadences: CadenceStore['cadences'];
  readonly providers: ProviderCalls;
};

/** Calls to the providers, limited by the budget of the API and the daily share of each tenant. */
export type ProviderCalls = {
  /** The configured providers. The first provider reports the prices. */
  readonly all: readonly [ConfiguredProvider, ...ConfiguredProvider[]];
  readonly callsOfFirst: Omit<CollectionPorts, 'findCollection'>;
  readonly settingsOfFirst: (http: HttpClient) => ProviderSettings;
  /** The calls to the provider that searches for collections. */
  readonly searchBy: (http: HttpClient) => CollectionPorts;
};
