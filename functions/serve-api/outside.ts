import type { RequestCounter } from '#shared/http/count-request.ts';
import type { Basics, Outside } from '#shared/outside/outside.ts';
import type { Log } from '#shared/runtime/log.ts';
import type { Table } from '#shared/stores/table.ts';
import type { ServeApiEnvironment } from './environment.ts';

export type ServeApiOutside = Basics &
  Pick<
    Outside,
    'holdingsReader' | 'httpClient' | 'queueDepth' | 'secret' | 'senderTo' | 'table' | 'upstream'
  >;

/** What the ports of all resources share. */
export type Shared = {
  readonly environment: ServeApiEnvironment;
  readonly table: Table;
  readonly log: Log;
  readonly counter: RequestCounter;
};
