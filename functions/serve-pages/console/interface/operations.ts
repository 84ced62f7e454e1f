import type * as z from 'zod';
import type {
  ChannelList,
  ChannelOfList,
  ChannelStatusAnswer,
  ChannelTest,
} from '#functions/manage-channels/answers.ts';
import type { channelRoutes } from '#functions/manage-channels/routes.ts';
import type { IssuedKey, KeyList, OwnKey, SignInCode } from '#functions/manage-keys/answers.ts';
import type { keyRoutes } from '#functions/manage-keys/routes.ts';
import type {
  ContractRead,
  MetricCatalogue,
} from '#functions/serve-api/contracts/answers/contracts.ts';
import type { Preview, Suggestions } from '#functions/serve-api/contracts/answers/preview.ts';
import type { contractRoutes } from '#functions/serve-api/contracts/routes.ts';
import type { Operations } from '#functions/serve-api/operations/answers.ts';
import type { operationsRoutes } from '#functions/serve-api/operations/routes.ts';
import type {
  AlertPage,
  AlertRead,
  EpisodePage,
} from '#functions/serve-api/watchlists/answers/alerts.ts';
import type { ChangePage, ChangeRead } from '#functions/serve-api/watchlists/answers/changes.ts';
import type { MuteList, MuteRead } from '#functions/serve-api/watchlists/answers/mutes.ts';
import type { Overview } from '#functions/serve-api/watchlists/answers/overview.ts';
import type {
  ChangedChannel,
  ContractOfList,
  RuleOfList,
} from '#functions/serve-api/watchlists/answers/parts.ts';
import type { PushKey } from '#functions/serve-api/watchlists/answers/push.ts';
import type { Usage } from '#functions/serve-api/watchlists/answers/usage.ts';
import type { ListValueRead } from '#functions/serve-api/watchlists/answers/value.ts';
import type { AnyWatchPage } from '#functions/serve-api/watchlists/answers/watches.ts';
import type {
  PutResult,
  WatchlistExport,
  WatchlistPage,
  WatchlistRead,
} from '#functions/serve-api/watchlists/answers/watchlists.ts';
import type { watchlistRoutes } from '#functions/serve-api/watchlists/routes.ts';
import type { FoundCollections, Prices } from '#shared/http/answer-shapes.ts';
import type { Frozen } from '#shared/http/described.ts';

/** The routes of the API that the console uses. */
type Routes = typeof watchlistRoutes &
  typeof channelRoutes &
  typeof contractRoutes &
  typeof keyRoutes &
  typeof operationsRoutes;

/** The requests of the console, and the type of each answer. */
type Answers = {
  'DELETE /v1/watchlists/{watchlist}': undefined;
  'DELETE /v1/watchlists/{watchlist}/channels/{channel}': undefined;
  'DELETE /v1/watchlists/{watchlist}/contracts/{contract}': undefined;
  'DELETE /v1/watchlists/{watchlist}/rules/{rule}': undefined;
  'DELETE /v1/channels/{channel}': undefined;
  'DELETE /v1/keys/{key}': undefined;
  'DELETE /v1/watchlists/{watchlist}/mutes/{mute}': undefined;
  'GET /v1/alerts/{alert}': AlertRead;
  'GET /v1/changes': ChangePage;
  'GET /v1/changes/{change}': ChangeRead;
  'GET /v1/collections': FoundCollections;
  'GET /v1/channels': ChannelList;
  'GET /v1/channels/{channel}': ChannelOfList;
  'GET /v1/contracts/{contract}': ContractRead;
  'GET /v1/contracts/{contract}/prices': Prices;
  'GET /v1/overview': Overview;
  'GET /v1/episodes': EpisodePage;
  'GET /v1/key': OwnKey;
  'GET /v1/keys': KeyList;
  'GET /v1/metrics': MetricCatalogue;
  'GET /v1/operations': Operations;
  'GET /v1/push-key': PushKey;
  'GET /v1/usage': Usage;
  'GET /v1/watches': AnyWatchPage;
  'GET /v1/watchlists': WatchlistPage;
  'GET /v1/watchlists/{watchlist}': WatchlistRead;
  'GET /v1/watchlists/{watchlist}/alerts': AlertPage;
  'GET /v1/watchlists/{watchlist}/alerts/{alert}': AlertRead;
  'GET /v1/watchlists/{watchlist}/channels': ChannelList;
  'GET /v1/watchlists/{watchlist}/channels/{channel}': ChannelOfList;
  'GET /v1/watchlists/{watchlist}/export': WatchlistExport;
  'GET /v1/watchlists/{watchlist}/mutes': MuteList;
  'GET /v1/watchlists/{watchlist}/rules/{rule}': RuleOfList;
  'GET /v1/watchlists/{watchlist}/value': ListValueRead;
  'POST /v1/channels': ChangedChannel;
  'POST /v1/channels/{channel}/confirm': ChannelStatusAnswer;
  'POST /v1/channels/{channel}/test': ChannelTest;
  'POST /v1/keys': IssuedKey;
  'POST /v1/keys/{key}/rotate': IssuedKey;
  'POST /v1/rules/preview': Preview;
  'POST /v1/rules/suggestions': Suggestions;
  'POST /v1/sign-ins': SignInCode;
  'POST /v1/sign-ins/redeem': IssuedKey;
  'POST /v1/watchlists': WatchlistRead;
  'POST /v1/watchlists/{watchlist}/contracts': ContractOfList;
  'POST /v1/watchlists/{watchlist}/alerts/{alert}/acknowledge': AlertRead;
  'POST /v1/watchlists/{watchlist}/channels': ChangedChannel;
  'POST /v1/watchlists/{watchlist}/channels/{channel}/confirm': ChannelStatusAnswer;
  'POST /v1/watchlists/{watchlist}/channels/{channel}/test': ChannelTest;
  'POST /v1/watchlists/{watchlist}/mutes': MuteRead;
  'POST /v1/watchlists/{watchlist}/rules': RuleOfList;
  'PUT /v1/watchlists/{watchlist}': PutResult;
  'PUT /v1/watchlists/{watchlist}/channels/{channel}': ChangedChannel;
  'PUT /v1/watchlists/{watchlist}/contracts/{contract}': ContractOfList;
  'PUT /v1/channels/{channel}': ChangedChannel;
  'PUT /v1/watchlists/{watchlist}/rules/{rule}': RuleOfList;
};

export type RouteName = keyof Answers & keyof Routes;
export type Answer<Route extends RouteName> = Answers[Route];
export type QueryOf<Route extends RouteName> = z.input<Routes[Route]['query']>;
export type BodyOf<Route extends RouteName> = Frozen<z.input<Routes[Route]['body']>>;

/** The parameters in the path of a route. */
export type PathOf<Route extends string> = Readonly<Record<ParameterOf<Route>, string>>;
type ParameterOf<Route extends string> = Route extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterOf<Rest>
  : never;
