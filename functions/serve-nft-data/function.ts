import { packText, unpackText } from '#shared/clients/text-packer.ts';
import { problemWithMessage } from '#shared/http/answer.ts';
import { createCallCounter } from '#shared/http/count-calls.ts';
import { createRequestCounter } from '#shared/http/count-request.ts';
import { httpFunction } from '#shared/http/http-function.ts';
import type { Basics, Outside } from '#shared/outside/outside.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { limitsOf, othersOf } from '#shared/runtime/upstream-variables.ts';
import { createUsageStore } from '#shared/stores/usage-store.ts';
import { composeServeNftData } from './compose.ts';
import { ServeNftDataEnvironment } from './environment.ts';
import { serveNftData } from './routes.ts';

export function serveNftDataFunction(
  outside: Basics &
    Pick<Outside, 'bulkTable' | 'httpClient' | 'otherUpstreams' | 'secret' | 'upstream'>,
) {
  const { now, sleepUntil, httpClient, secret } = outside;
  const environment = readEnvironment(ServeNftDataEnvironment, outside.variables);
  const log = outside.logOf('serve-nft-data');
  const table = outside.bulkTable(environment.WATCH_TABLE);
  const http = httpClient({
    deadlineMs: 8000,
    maxBodyBytes: 5 * 1024 * 1024,
    maxConnections: 8,
  });
  const settingsFor = (keyParameter: string) => ({
    ...{ http, now },
    apiKey: secret(keyParameter),
  });
  const limits = limitsOf(environment);

  const ports = composeServeNftData({
    now,
    sleepUntil,
    table,
    limits,
    upstream: outside.upstream(environment.UPSTREAM_PROVIDER, {
      ...settingsFor(environment.UPSTREAM_KEY_PARAMETER),
      baseUrl: environment.UPSTREAM_URL,
    }),
    others: outside.otherUpstreams(othersOf(environment), settingsFor),
    sources: environment.NFT_DATA_SOURCES,
    packer: { pack: packText, unpack: unpackText },
    takeCall: createCallCounter({ now, limits, usage: createUsageStore(table, 'provider') }),
    countRequest: createRequestCounter({
      now,
      unitsPerMinute: environment.NFT_DATA_UNITS_PER_MINUTE,
      usage: createUsageStore(table, 'nft-data'),
    }).take,
    report: log.error,
  });

  return httpFunction(
    {
      earlyAbortMs: outside.earlyAbortMs,
      log,
      corsOrigins: environment.CORS_ORIGINS,
      write: problemWithMessage,
    },
    (event, _context, signal) => serveNftData(ports, event, signal),
  );
}
