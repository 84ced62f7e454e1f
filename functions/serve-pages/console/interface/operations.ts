import type * as z from 'zod';
import type {
  ChannelList,
  ChannelOfList,
  ChannelTest,
  StandingAnswer,
} from '#functions/manage-channels/answers.ts';
import type { channelRoutes } from '#functions/manage-channels/routes.ts';
import type { IssuedKey, KeyList, OwnKey } from '#functions/manage-keys/answers.ts';
import type { keyRoutes } from '#functions/manage-keys/routes.ts';
import type {
  FoundCollections,
  MetricCatalogue,
  Preview,
  Prices,
  ContractRead,
} from '#functions/serve-api/contracts/answers.ts';
import type { contractRoutes } from '#functions/serve-api/contracts/routes.ts';
import type { Operations } from '#functions/serve-api/operations/answers.ts';
import type { operationsRoutes } from '#functions/serve-api/operations/routes.ts';
import type { AlertRead, EpisodePage } from '#functions/serve-api/watchlists/answers/alerts.ts';
import type { ChangePage, ChangeRead } from '#functions/serve-api/watchlists/answers/changes.ts';
import type { MuteList, MuteRead } from '#functions/serve-api/watchlists/answers/mutes.ts';
import type { Overview } from '#functions/serve-api/watchlists/answers/overview.ts';
import type {
  ChangedChannel,
  ContractOfList,
  RuleOfList,
} from '#functions/serve-api/watchlists/answers/parts.ts';
import type { Usage } from '#functions/serve-api/watchlists/answers/usage.ts';
import type { AnyWatchPage } from '#functions/serve-api/watchlists/answers/watches.ts';
import type {
  PutResult,
  WatchlistRead,
  WatchlistExport,
  WatchlistPage,
} from '#functions/serve-api/watchlists/answers/watchlists.ts';
import type { watchlistRoutes } from '#functions/serve-api/watchlists/routes.ts';

/** The routes of the interface that take a key. */
type Routes = typeof watchlistRoutes &
  typeof channelRoutes &
  typeof contractRoutes &
  typeof keyRoutes &
  typeof operationsRoutes;

/** What the console asks, and the schema of each answer: that of which the OpenAPI document is made. */
type Schemas = {
  'DELETE /v1/watchlists/{watchlist}': z.ZodUndefined;
  'DELETE /v1/watchlists/{watchlist}/channels/{channel}': z.ZodUndefined;
  'DELETE /v1/watchlists/{watchlist}/contracts/{contract}': z.ZodUndefined;
  'DELETE /v1/watchlists/{watchlist}/rules/{rule}': z.ZodUndefined;
  'DELETE /v1/channels/{channel}': z.ZodUndefined;
  'DELETE /v1/keys/{key}': z.ZodUndefined;
  'DELETE /v1/watchlists/{watchlist}/mutes/{mute}': z.ZodUndefined;
  'GET /v1/alerts/{alert}': typeof AlertRead;
  'GET /v1/changes': typeof ChangePage;
  'GET /v1/changes/{change}': typeof ChangeRead;
  'GET /v1/collections': typeof FoundCollections;
  'GET /v1/channels': typeof ChannelList;
  'GET /v1/channels/{channel}': typeof ChannelOfList;
  'GET /v1/contracts/{contract}': typeof ContractRead;
  'GET /v1/contracts/{contract}/prices': typeof Prices;
  'GET /v1/overview': typeof Overview;
  'GET /v1/episodes': typeof EpisodePage;
  'GET /v1/key': typeof OwnKey;
  'GET /v1/keys': typeof KeyList;
  'GET /v1/metrics': typeof MetricCatalogue;
  'GET /v1/operations': typeof Operations;
  'GET /v1/usage': typeof Usage;
  'GET /v1/watches': typeof AnyWatchPage;
  'GET /v1/watchlists': typeof WatchlistPage;
  'GET /v1/watchlists/{watchlist}': typeof WatchlistRead;
  'GET /v1/watchlists/{watchlist}/alerts/{alert}': typeof AlertRead;
  'GET /v1/watchlists/{watchlist}/channels': typeof ChannelList;
  'GET /v1/watchlists/{watchlist}/channels/{channel}': typeof ChannelOfList;
  'GET /v1/watchlists/{watchlist}/export': typeof WatchlistExport;
  'GET /v1/watchlists/{watchlist}/mutes': typeof MuteList;
  'GET /v1/watchlists/{watchlist}/rules/{rule}': typeof RuleOfList;
  'POST /v1/channels': typeof ChangedChannel;
  'POST /v1/channels/{channel}/confirm': typeof StandingAnswer;
  'POST /v1/channels/{channel}/test': typeof ChannelTest;
  'POST /v1/keys': typeof IssuedKey;
  'POST /v1/keys/{key}/rotate': typeof IssuedKey;
  'POST /v1/rules/preview': typeof Preview;
  'POST /v1/watchlists': typeof WatchlistRead;
  'POST /v1/watchlists/{watchlist}/contracts': typeof ContractOfList;
  'POST /v1/watchlists/{watchlist}/alerts/{alert}/acknowledge': typeof AlertRead;
  'POST /v1/watchlists/{watchlist}/channels': typeof ChangedChannel;
  'POST /v1/watchlists/{watchlist}/channels/{channel}/confirm': typeof StandingAnswer;
  'POST /v1/watchlists/{watchlist}/channels/{channel}/test': typeof ChannelTest;
  'POST /v1/watchlists/{watchlist}/mutes': typeof MuteRead;
  'POST /v1/watchlists/{watchlist}/rules': typeof RuleOfList;
  'PUT /v1/watchlists/{watchlist}': typeof PutResult;
  'PUT /v1/watchlists/{watchlist}/channels/{channel}': typeof ChangedChannel;
  'PUT /v1/watchlists/{watchlist}/contracts/{contract}': typeof ContractOfList;
  'PUT /v1/channels/{channel}': typeof ChangedChannel;
  'PUT /v1/watchlists/{watchlist}/rules/{rule}': typeof RuleOfList;
};

export type RouteName = keyof Schemas & keyof Routes;
export type Answer<Route extends RouteName> = z.output<Schemas[Route]>;
export type QueryOf<Route extends RouteName> = z.input<Routes[Route]['query']>;
export type BodyOf<Route extends RouteName> = z.input<Routes[Route]['body']>;

/** The parameters in the path of a route. */
export type PathOf<Route extends string> = Readonly<Record<ParameterOf<Route>, string>>;
type ParameterOf<Route extends string> = Route extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterOf<Rest>
  : never;
