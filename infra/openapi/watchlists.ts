import {
  PutResult,
  WatchlistExport,
  WatchlistPage,
  WatchlistRead,
  written,
} from '#functions/serve-api/watchlists/answers/watchlists.ts';
import { wholeListRoutes } from '#functions/serve-api/watchlists/watchlist-routes.ts';
import { WatchlistRequest } from '#shared/domain/watchlists/watchlist-body.ts';
import { input } from '#shared/http/described.ts';
import { channelBody, memberBody, PUNKS, rule, ruleBody } from './examples.ts';
import { mute } from './mutes.ts';
import {
  DELETE_PROBLEMS,
  describeRoutes,
  ETAG,
  json,
  LOCATION,
  LOOKUP_PROBLEMS,
  pages,
  SEARCH_PROBLEMS,
} from './operation.ts';
import { ifMatch, ifMatchIfThere, ifNoneMatchAny } from './preconditions.ts';

input('WatchlistInput', WatchlistRequest._zod.innerType, 'A watchlist as sent in a request.', {
  ...written,
  wallet:
    'The address of a wallet. The collections that the wallet holds become members of the list. They are updated once a day; an alert of the kind `members` reports added and removed collections. Rules on `*` apply to these members, too. A contract in `contracts` stays on the list even if the wallet no longer holds it.',
  id: 'The id of the list. If it is omitted, it is generated from the name. In a PUT, it must equal the id in the path or be omitted.',
  contracts:
    'The NFT contracts to watch, each as an address or as an object. The object may have the name of the collection, or the number of tokens held and their cost: `{"contract": "eth:0x…", "amount": 3, "cost": {"price": "12.5"}}`. It may also have the traits of the tokens to watch: `{"contract": "eth:0x…", "traits": {"Fur": "Solid Gold"}}`; its key is then `eth:0x…?Fur=Solid+Gold`. Instead of an address, a slug, a name or a marketplace link is accepted; the response has the address that was found.',
});

const watchlistBody = {
  id: 'punks',
  name: 'Punks',
  contracts: [memberBody],
  rules: [ruleBody],
  channels: [channelBody],
};

const manyRulesBody = {
  name: 'Punks, closely',
  contracts: [PUNKS],
  rules: [
    {
      ...{ id: 'band', metric: 'floor_price', when: 'outside' },
      low: '50',
      high: '120',
      for: '2h',
    },
    {
      ...{ id: 'crash', metric: 'floor_drawdown_pct.7d', when: 'above', threshold: '30' },
      ...{ steps: '10', repeat: { reminder: '1d' }, severity: 'critical' },
    },
    {
      ...{ id: 'sure', metric: 'floor_price_usd', when: 'below', threshold: '200000' },
      ...{ confirm: { times: 2, of: 3 }, arm: 'cross', noData: { alert: '6h' } },
    },
    {
      id: 'both',
      all: [
        { metric: 'floor_price', when: 'below', threshold: '60' },
        { metric: 'lowest_price.7d', when: 'below', threshold: '55' },
      ],
    },
  ],
  channels: [
    { kind: 'slack', url: 'https://hooks.slack.com/services/T0001/B0001/abcdefgh' },
    {
      kind: 'webhook',
      url: 'https://example.com/hook',
      secrets: ['whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='],
    },
  ],
};

const byNameBody = {
  name: 'Apes',
  contracts: ['boredapeyachtclub'],
  rules: [{ metric: 'floor_price', when: 'below', threshold: '9' }],
};

const ofWalletBody = {
  name: 'What I hold',
  wallet: '0xd8da6bf26964af9d7eed9e03e53415d37aa96045',
  rules: [{ metric: 'floor_drop_pct.24h', when: 'above', threshold: '20' }],
};

const contactPointsBody = {
  name: 'Azuki',
  contracts: ['azuki'],
  rules: [
    { metric: 'floor_price', when: 'below', threshold: '3', severity: 'critical' },
    { metric: 'floor_price', when: 'below', threshold: '4', notify: ['desk'] },
  ],
  channels: ['desk', 'pager', { id: 'own', kind: 'email', to: 'azuki@example.com' }],
  notify: { warning: ['desk', 'own'], info: ['own'] },
  escalate: { after: '15m', to: ['pager'] },
};

const quietBody = {
  name: 'Nights off',
  contracts: ['azuki'],
  rules: [{ metric: 'floor_drop_pct.24h', when: 'above', threshold: '10' }],
  channels: ['desk'],
  timeZone: 'Europe/Berlin',
  report: { every: 'day' as const, at: '08:00' },
  quiet: [
    { from: '22:00', to: '07:00' },
    { from: '00:00', to: '12:00', days: ['sat', 'sun'], severity: 'info' },
  ],
};

const bodies = {
  'one rule': watchlistBody,
  'many rules': manyRulesBody,
  'a contract by its slug': byNameBody,
  'from a wallet': ofWalletBody,
  'contact points by severity': contactPointsBody,
  'quiet hours': quietBody,
};

const entry = { ...watchlistBody, walletStatus: null, revision: 3, rules: [rule] };

const watchlistPage = {
  watchlists: [entry],
  cursor: null,
  stoppedShort: false,
  unreadable: [{ kind: 'watchlist', id: 'apes', reason: 'unknown member "rules.0.onlyWhen"' }],
};

const watchlist = {
  ...entry,
  mutes: [mute],
  undeliverable: false,
  pendingChanges: 0,
  cadenceMinutes: 30,
  cadenceStretched: false,
};

const watchlistExport = {
  name: 'Punks',
  contracts: [memberBody],
  rules: [rule],
  channels: [channelBody],
};

/** Documents the operations on watchlists as whole documents. */
export const watchlistOperations = describeRoutes(wholeListRoutes, {
  'GET /v1/watchlists': {
    id: 'listWatchlists',
    tag: 'Watchlists',
    summary: 'List the watchlists of the tenant',
    query: pages,
    answers: { 200: json('A page of lists.', WatchlistPage, watchlistPage) },
  },
  'POST /v1/watchlists': {
    id: 'createWatchlist',
    tag: 'Watchlists',
    summary: 'Create a watchlist',
    description:
      "Only `name` is required. Contracts given by the name of their collection are looked up at the data provider, and each call counts against the tenant's daily share of provider calls. An ambiguous name is rejected with the slugs of possible matches. The collections of a `wallet` are added at once if the provider reports them; otherwise the wallet is `pending`, and its collections are added later. The list takes effect contract by contract: `pendingChanges` is the number of contracts left.",
    bodies,
    answers: {
      201: json('The list was created.', WatchlistRead, watchlist, { ...ETAG, ...LOCATION }),
    },
    problems: [
      ...(['already_exists', 'unreadable', 'conflict'] as const),
      ...(['quota_exceeded', 'secrets_unavailable'] as const),
      ...SEARCH_PROBLEMS,
    ],
  },
  'GET /v1/watchlists/{watchlist}': {
    id: 'getWatchlist',
    tag: 'Watchlists',
    summary: 'Read a watchlist',
    answers: { 200: json('The list.', WatchlistRead, watchlist, ETAG) },
    problems: LOOKUP_PROBLEMS,
  },
  'PUT /v1/watchlists/{watchlist}': {
    id: 'putWatchlist',
    tag: 'Watchlists',
    summary: 'Create or replace a watchlist',
    description:
      'The body is the complete desired state: omitted parts are removed. A body equal to the list changes nothing, so the request can be repeated. A rule with an unchanged condition keeps its open episodes; `restarted` names the rules whose open episodes are closed. With `If-Match: *` the request also replaces a list that this version cannot read (`unreadable`): its readable rules keep their episodes, and its channels their secrets.',
    query: {
      dryRun:
        '`true` checks the request but writes nothing. A valid request then always returns 200, with the changes that it would make and the forecast of the new watches, and `If-Match` is optional.',
    },
    headers: [ifMatchIfThere, ifNoneMatchAny],
    bodies,
    answers: {
      200: json(
        'The list was replaced. For a dry run: the changes that the request would make.',
        PutResult,
        watchlist,
        ETAG,
      ),
      201: json('The list was created.', WatchlistRead, watchlist, ETAG),
    },
    problems: [
      'unreadable',
      'conflict',
      'precondition_failed',
      'precondition_required',
      'quota_exceeded',
      'secrets_unavailable',
      ...SEARCH_PROBLEMS,
    ],
  },
  'GET /v1/watchlists/{watchlist}/export': {
    id: 'exportWatchlist',
    tag: 'Watchlists',
    summary: 'Export a watchlist as a document that a PUT accepts',
    description:
      'A `PUT` of the document to the same list changes nothing. A `PUT` to a new id creates a copy of the list. Secrets of channels are shown as `kept:…`, which is valid for this list only. Before you send the document to another list, replace each `kept:…` with the secret itself.',
    answers: { 200: json('The document.', WatchlistExport, watchlistExport) },
    problems: LOOKUP_PROBLEMS,
  },
  'DELETE /v1/watchlists/{watchlist}': {
    id: 'deleteWatchlist',
    tag: 'Watchlists',
    summary: 'Delete a watchlist',
    description:
      'With `If-Match: *` the request also deletes a list that this version cannot read (`unreadable`).',
    headers: [ifMatch],
    answers: { 204: { description: 'The list was deleted.' } },
    problems: DELETE_PROBLEMS,
  },
});
