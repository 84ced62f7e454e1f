import { packText, unpackText } from '#shared/clients/text-packer.ts';
import { createUpstreamRateLimiter } from '#shared/clients/upstream-rate-limiter.ts';
import type { UpstreamLimits } from '#shared/domain/polling/upstream-limits.ts';
import { problemWithMessage } from '#shared/http/answer.ts';
import { createRequestCounter } from '#shared/http/count-request.ts';
import { httpFunction } from '#shared/http/http-function.ts';
import type { Basics, Outside } from '#shared/outside/outside.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { limitsOf, otherProviders } from '#shared/runtime/upstream-variables.ts';
import { createAnswerStore } from '#shared/stores/answer-store.ts';
import { createArchiveStore } from '#shared/stores/archive-store.ts';
import { createRateLimiterStore } from '#shared/stores/rate-limiter-store.ts';
import { createUsageStore } from '#shared/stores/usage-store.ts';
import { createProviderShare } from '#shared/use-cases/daily-share.ts';
import type { MainUpstream } from '#shared/use-cases/upstream.ts';
import { createArchiveSource } from './archive-source.ts';
import { chooseSource } from './choose-source.ts';
import { ServeNftDataEnvironment } from './environment.ts';
import { inTurn } from './in-turn.ts';
import { type ServeNftDataPorts, serveNftData } from './routes.ts';
import { createSharedAnswers } from './shared-answers.ts';
import { createUpstreamSource } from './upstream-source.ts';

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
  const upstream = outside.upstream(environment.UPSTREAM_PROVIDER, {
    ...settingsFor(environment.UPSTREAM_KEY_PARAMETER),
    baseUrl: environment.UPSTREAM_URL,
  });
  const otherUpstreams = outside.otherUpstreams(otherProviders(environment), settingsFor);
  const sourceOf = (limitsOfKey: UpstreamLimits, answer: MainUpstream['answer']) => {
    const records = createRateLimiterStore(table, limitsOfKey.provider);
    const { reserve, learn } = createUpstreamRateLimiter(records, 'interface', limitsOfKey, now);
    return createUpstreamSource({
      now,
      sleepUntil,
      reserveCalls: reserve,
      learnOfCall: learn,
      answer,
    });
  };
  const otherSources = otherUpstreams.flatMap((other) => {
    const { answer } = other.upstream;
    if (answer === undefined) return [];
    return [{ provider: other.limits.provider, ask: sourceOf(other.limits, answer) }];
  });
  const answers = createAnswerStore(table, { pack: packText, unpack: unpackText });
  const shared = createSharedAnswers({
    now,
    sleepUntil,
    getAnswer: answers.get,
    putAnswer: answers.put,
    askUpstream: inTurn(sourceOf(limits, upstream.answer), otherSources, now),
    report: log.error,
  });
  const archive = createArchiveSource({ now, ...createArchiveStore(table) });
  const ports: ServeNftDataPorts = {
    now,
    takeCall: createProviderShare({ now, limits, usage: createUsageStore(table, 'provider') }),
    countRequest: createRequestCounter({
      now,
      unitsPerMinute: environment.NFT_DATA_UNITS_PER_MINUTE,
      usage: createUsageStore(table, 'nft-data'),
    }).take,
    ...chooseSource(environment.NFT_DATA_SOURCES, shared, archive),
  };

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
