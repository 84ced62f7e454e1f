import * as z from 'zod';
import { wholeListRoutes } from '#functions/serve-api/watchlists/watchlist-routes.ts';
import { TimeZone } from '#shared/domain/market/local-time.ts';
import { WalletAddress } from '#shared/domain/market/wallet.ts';
import { ReportTimes } from '#shared/domain/watchlists/list-report.ts';
import { Escalation, NotifiedBySeverity } from '#shared/domain/watchlists/notified.ts';
import { Quiet } from '#shared/domain/watchlists/quiet-hours.ts';
import { WatchlistRequest } from '#shared/domain/watchlists/watchlist-body.ts';
import { Identifier, Line } from '#shared/domain/words.ts';
import { CADENCE, filledPage, ofList } from '#shared/http/answer-shapes.ts';
import { input, object, output } from '#shared/http/described.ts';
import { Differences, Edit } from './changes.ts';
import { ListChannelAnswer } from './channel-components.ts';
import { channelBody, memberBody, PUNKS, rule, ruleBody } from './examples.ts';
import { ForecastOfChange, ofChange } from './forecast-of-change.ts';
import { Mute, mute } from './mutes.ts';
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
import { Member, Rule } from './parts.ts';
import { ifMatch, ifMatchIfThere, ifNoneMatchAny } from './preconditions.ts';

const written = {
  name: 'The name of the list.',
  contracts: 'The watched NFT contracts.',
  rules: 'The rules on the contracts.',
  channels:
    'The destinations of its alerts: contact points of the tenant, by their ids, and channels of the list alone.',
  notify:
    'The channels that get the alerts of a severity, by their ids; all where it is left out. The `notify` of a rule goes first. Alerts about channels go to all.',
  escalate:
    'Who else learns of critical alerts that nobody acknowledges. These channels get no other alerts of the list, unless a `notify` names them.',
  timeZone:
    'The time zone in which its messages tell times, and which its quiet hours are of: a name of the IANA database, such as `Europe/Berlin`; UTC where it is left out.',
  report:
    'When people get a report of the list, an alert of the kind `report`: each day, or on one day of each week, at a time of its time zone. It has the floors of its contracts, how they have moved, and what fired.',
  quiet:
    'The hours in which people get nothing of the list but what is critical. What was held comes as one summary at their end; programs get every alert at once.',
} as const;

input('WatchlistInput', WatchlistRequest, 'A watchlist in a request.', {
  ...written,
  wallet:
    'The address of a wallet whose collections are members, too: kept in step once a day, with an alert of the kind `members` for added and removed collections. Rules on `*` are on them; a contract that is written stays when the wallet loses it.',
  id: 'The id of the list; made from its name if left out. In a PUT it is the id of the path, or left out.',
  contracts:
    'The NFT contracts to watch: each alone, or with the name of its collection, or with the traits of those of its tokens that are meant, for example `{"contract": "eth:0x…", "traits": {"Fur": "Solid Gold"}}`, whose key is then `eth:0x…?Fur=Solid+Gold`. In place of an address a slug, a name or a link to the marketplace; the answer has the address that was found.',
});

const WalletStatus = object('WalletStatus', 'The state of the wallet of a list.', {
  pending: [
    z.boolean(),
    'Whether the data provider has not reported its collections yet: they are added as soon as it does.',
  ],
  leftOut: [
    z.int().min(0),
    'How many of its collections are not watched: a limit leaves no room for them, or they have no price of their own.',
  ],
});

const documentMembers = {
  name: [Line, written.name],
  wallet: [
    WalletAddress.optional(),
    'The wallet whose collections are members, too; absent without one.',
  ],
  contracts: [z.array(Member), written.contracts],
  rules: [z.array(Rule), written.rules],
  channels: [z.array(ListChannelAnswer), written.channels],
  notify: [NotifiedBySeverity.optional(), written.notify],
  escalate: [Escalation.optional(), written.escalate],
  timeZone: [TimeZone.optional(), written.timeZone],
  quiet: [Quiet.optional(), written.quiet],
  report: [ReportTimes.optional(), written.report],
} as const;

const entryMembers = {
  id: [Identifier, 'The id of the list.'],
  ...documentMembers,
  walletStatus: [WalletStatus.nullable(), 'What became of its wallet; null without one.'],
  revision: [z.int().positive(), 'The number of its last change; its `ETag`.'],
} as const;

const WatchlistEntry = object(
  'WatchlistEntry',
  'A watchlist on a page of watchlists.',
  entryMembers,
);

export const WatchlistPage = object('WatchlistPage', 'A page of watchlists of a tenant.', {
  watchlists: [z.array(WatchlistEntry), 'The lists, by their ids.'],
  ...filledPage,
});

export const Watchlist = object(
  'Watchlist',
  'A watchlist, and how far its revision is in effect.',
  {
    ...entryMembers,
    mutes: [z.array(Mute), 'The running mutes.'],
    ...ofChange,
    undeliverable: [
      z.boolean(),
      'Whether no channel of the list works; true also without channels.',
    ],
    pendingChanges: ofList.pendingChanges,
    cadenceMinutes: CADENCE,
    cadenceStretched: [
      z.boolean(),
      'Whether that is more than configured, because the budget of the stack is short.',
    ],
  },
);

const WatchCounts = object(
  'WatchCounts',
  'How many watches of a list begin and end with a change.',
  {
    begun: [z.int().min(0), 'How many begin.'],
    ended: [z.int().min(0), 'How many end.'],
  },
);

const DryRun = object('DryRun', 'What a PUT of a list would change.', {
  revision: [
    z.int().positive().nullable(),
    'The revision of the list; null if there is no such list.',
  ],
  edit: [Edit, 'The changes of its parts.'],
  differences: [Differences, 'The same in words, member by member.'],
  restarted: [z.array(Identifier), 'The rules whose open episodes would be closed.'],
  watches: [WatchCounts, 'How many watches would begin and end.'],
  forecast: [ForecastOfChange, 'The forecast of the new watches.'],
});

export const PutResult = output(
  'PutResult',
  z.union([Watchlist, DryRun]),
  'The watchlist after a PUT; or, for a dry run, what the PUT would change.',
);

export const WatchlistExport = object(
  'WatchlistExport',
  'A watchlist as a document that a PUT takes.',
  {
    ...documentMembers,
    wallet: [WalletAddress.optional(), 'The wallet whose collections are members, too.'],
    contracts: [
      z.array(Member.omit({ by: true })),
      'The watched NFT contracts but for those of the wallet.',
    ],
  },
);

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
  'of a wallet': ofWalletBody,
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

/** Watchlists as whole documents. */
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
      'Only `name` is required. Contracts that are written by the name of their collection are looked up, within the daily share of the tenant; one that is not found for certain is refused with the slugs that may be meant. The collections of a `wallet` are read as well; where the provider cannot report them now, the wallet is `pending`, and they join soon. The list takes effect contract by contract: `pendingChanges` is the number left.',
    bodies,
    answers: {
      201: json('The list was created.', Watchlist, watchlist, { ...ETAG, ...LOCATION }),
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
    answers: { 200: json('The list.', Watchlist, watchlist, ETAG) },
    problems: LOOKUP_PROBLEMS,
  },
  'PUT /v1/watchlists/{watchlist}': {
    id: 'putWatchlist',
    tag: 'Watchlists',
    summary: 'Create or replace a watchlist',
    description:
      'The body is the whole desired state: what it leaves out is removed. A body equal to the list changes nothing, so a request may be repeated. A rule with an unchanged condition keeps its episodes; `restarted` names the others. With `If-Match: *` the request also replaces a list that this version cannot read (`unreadable`): its readable rules keep their episodes, and its channels their secrets.',
    query: {
      dryRun:
        '`true` checks the request and writes nothing: the answer, always 200, reports what would change, and the forecast of the new watches. `If-Match` may then be left out.',
    },
    headers: [ifMatchIfThere, ifNoneMatchAny],
    bodies,
    answers: {
      200: json(
        'The list is as in the body; or, for a dry run, what would change.',
        PutResult,
        watchlist,
        ETAG,
      ),
      201: json('The list was created.', Watchlist, watchlist, ETAG),
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
    summary: 'Read a watchlist as a document that a PUT takes',
    description:
      'A `PUT` of it to the same list changes nothing; to another id it creates an equal list. Secrets of channels are shown as `kept:…`, which is valid for this list only: another list needs the secrets themselves.',
    answers: { 200: json('The document.', WatchlistExport, watchlistExport) },
    problems: LOOKUP_PROBLEMS,
  },
  'DELETE /v1/watchlists/{watchlist}': {
    id: 'deleteWatchlist',
    tag: 'Watchlists',
    summary: 'Delete a watchlist',
    description: 'With `If-Match: *` also a list that this version cannot read (`unreadable`).',
    headers: [ifMatch],
    answers: { 204: { description: 'The list was deleted.' } },
    problems: DELETE_PROBLEMS,
  },
});
