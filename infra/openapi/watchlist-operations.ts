import {
  AlertAnswer,
  AlertPage,
  ChangePage,
  ExplanationAnswer,
  MuteAnswer,
  MuteList,
  OneWatchAnswer,
  PutAnswer,
  UsageAnswer,
  WatchlistAnswer,
  WatchlistExport,
  WatchlistPage,
  WatchPage,
} from '#functions/manage-watchlists/answers.ts';
import { watchlistRoutes } from '#functions/manage-watchlists/routes.ts';
import * as examples from './examples.ts';
import { DELETE_PROBLEMS, describeRoutes, json, LOOKUP_PROBLEMS, pages } from './operation.ts';
import { ETag, Location, partWords } from './part-operations.ts';
import { ifMatch, ifMatchIfThere, ifNoneMatchAny } from './preconditions.ts';

const COMMAS = ', separated by commas.';
const alertWords = {
  limit: pages.limit,
  cursor:
    'Where the page begins: the `cursor` of the page before, with the same filters; left out for the first.',
  contract: `Only alerts about these NFT contracts${COMMAS}`,
  rule: `Only alerts of the rules with these ids${COMMAS}`,
  kind: `Only alerts of these kinds${COMMAS}`,
  severity: `Only alerts of these severities${COMMAS}`,
  from: 'The beginning of the time span of the alerts, with its zone.',
  to: 'The end of the time span of the alerts, with its zone.',
};
const bodies = { 'one rule': examples.watchlistBody, 'many rules': examples.manyRulesBody };

/** Lists with their rules, watches, alerts and mutes. */
export const watchlistOperations = describeRoutes(watchlistRoutes, {
  'GET /v1/watchlists': {
    id: 'listWatchlists',
    tag: 'Watchlists',
    summary: 'List the watchlists of the tenant',
    query: pages,
    answers: { 200: json('A page of lists.', WatchlistPage, examples.watchlistPage) },
  },
  'POST /v1/watchlists': {
    id: 'createWatchlist',
    tag: 'Watchlists',
    summary: 'Create a watchlist',
    description:
      'Only `name` is required. The list takes effect contract by contract: `pendingChanges` is the number left.',
    bodies,
    answers: {
      201: json('The list was created.', WatchlistAnswer, examples.watchlist, { ETag, Location }),
    },
    problems: ['already_exists', 'unreadable', 'conflict', 'quota_exceeded', 'secrets_unavailable'],
  },
  'GET /v1/watchlists/{watchlist}': {
    id: 'getWatchlist',
    tag: 'Watchlists',
    summary: 'Read a watchlist',
    answers: { 200: json('The list.', WatchlistAnswer, examples.watchlist, { ETag }) },
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
        PutAnswer,
        examples.watchlist,
        { ETag },
      ),
      201: json('The list was created.', WatchlistAnswer, examples.watchlist, {
        ETag,
      }),
    },
    problems: [
      'unreadable',
      'conflict',
      'precondition_failed',
      'precondition_required',
      'quota_exceeded',
      'secrets_unavailable',
    ],
  },
  'GET /v1/watchlists/{watchlist}/export': {
    id: 'exportWatchlist',
    tag: 'Watchlists',
    summary: 'Read a watchlist as a document that a PUT takes',
    description:
      'A `PUT` of it to the same list changes nothing; to another id it creates an equal list. Secrets of channels are shown as `kept:…`, which is valid for this list only: another list needs the secrets themselves.',
    answers: { 200: json('The document.', WatchlistExport, examples.watchlistExport) },
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
  'GET /v1/watchlists/{watchlist}/watches': {
    id: 'listWatches',
    tag: 'Watches',
    summary: 'List the watches of a watchlist: every rule on every contract, and its state',
    query: { cursor: pages.cursor },
    answers: { 200: json('A page of watches.', WatchPage, examples.watchPage) },
    problems: LOOKUP_PROBLEMS,
  },
  'GET /v1/watchlists/{watchlist}/watches/{contract}/{rule}': {
    id: 'getWatch',
    tag: 'Watches',
    summary: 'Read one watch: a rule on a contract, and its state',
    answers: { 200: json('The watch.', OneWatchAnswer, examples.watch) },
    problems: LOOKUP_PROBLEMS,
  },
  'GET /v1/watchlists/{watchlist}/watches/{contract}/{rule}/explain': {
    id: 'explainWatch',
    tag: 'Watches',
    summary: 'Explain one watch: its data, what it waits for, and why it is silent',
    answers: { 200: json('The watch.', ExplanationAnswer, examples.explanation) },
    problems: LOOKUP_PROBLEMS,
  },
  'GET /v1/alerts': {
    id: 'listAllAlerts',
    tag: 'Alerts',
    summary: 'List the alerts of all watchlists of the tenant, newest first',
    query: {
      ...alertWords,
      watchlist: `Only alerts of the lists with these ids${COMMAS}`,
    },
    answers: { 200: json('A page of alerts.', AlertPage, examples.alertPage) },
    problems: ['unreadable'],
  },
  'GET /v1/watchlists/{watchlist}/alerts': {
    id: 'listAlerts',
    tag: 'Alerts',
    summary: 'List the alerts of a watchlist, newest first',
    query: alertWords,
    answers: { 200: json('A page of alerts.', AlertPage, examples.alertPage) },
    problems: LOOKUP_PROBLEMS,
  },
  'GET /v1/watchlists/{watchlist}/alerts/{alert}': {
    id: 'getAlert',
    tag: 'Alerts',
    summary: 'Read one alert and its deliveries',
    answers: { 200: json('The alert.', AlertAnswer, examples.alert) },
    problems: LOOKUP_PROBLEMS,
  },
  'POST /v1/watchlists/{watchlist}/alerts/{alert}/acknowledge': {
    id: 'acknowledgeAlert',
    tag: 'Alerts',
    summary: 'Acknowledge the open episode of an alert',
    description:
      'Silences the reminders of the episode; its worsening and its end are still reported. It may be repeated, with another note.',
    bodies: { 'with a note': { note: 'ours' } },
    answers: {
      200: json('The alert, acknowledged.', AlertAnswer, {
        ...examples.alert,
        acknowledged: { at: '2026-11-21T12:05:00.000Z', note: 'ours' },
      }),
    },
    problems: [...LOOKUP_PROBLEMS, 'episode_over'],
  },
  'GET /v1/usage': {
    id: 'getUsage',
    tag: 'Usage',
    summary: 'Read the usage of the tenant, with its limits',
    description:
      'A change under way counts already. Units of requests come back evenly over a minute.',
    answers: { 200: json('The usage.', UsageAnswer, examples.usage) },
    problems: ['unreadable'],
  },
  'GET /v1/changes': {
    id: 'listChanges',
    tag: 'Changes',
    summary: 'List the changes of the tenant, newest first',
    description:
      'Each accepted change of a list and of its mutes, each acknowledged alert, and each tested or confirmed channel, for 400 days. A change names the changed parts.',
    query: {
      ...pages,
      watchlist: 'Only changes of the list with this id, also if it is deleted.',
    },
    answers: { 200: json('A page of changes.', ChangePage, examples.changePage) },
  },
  'GET /v1/watchlists/{watchlist}/mutes': {
    id: 'listMutes',
    tag: 'Mutes',
    summary: 'List the running mutes of a watchlist',
    answers: { 200: json('The mutes.', MuteList, { mutes: [examples.mute] }) },
    problems: LOOKUP_PROBLEMS,
  },
  'POST /v1/watchlists/{watchlist}/mutes': {
    id: 'createMute',
    tag: 'Mutes',
    summary: 'Hold the alerts of a watchlist back for a while',
    description:
      'Rules are evaluated as usual. When the mute ends, one summary for each watch reports what fired and recovered meanwhile.',
    bodies: { 'for six hours': { for: '6h', severity: 'info', reason: 'release day' } },
    answers: {
      201: json('The mute was created.', MuteAnswer, examples.mute, { Location }),
    },
    problems: [...LOOKUP_PROBLEMS, 'conflict'],
  },
  'GET /v1/watchlists/{watchlist}/mutes/{mute}': {
    id: 'getMute',
    tag: 'Mutes',
    summary: 'Read a running mute',
    answers: { 200: json('The mute.', MuteAnswer, examples.mute) },
    problems: LOOKUP_PROBLEMS,
  },
  'DELETE /v1/watchlists/{watchlist}/mutes/{mute}': {
    id: 'liftMute',
    tag: 'Mutes',
    summary: 'Lift a mute before its end, and send the alerts that it held back',
    headers: [ifMatch],
    answers: { 204: { description: 'The mute was lifted.' } },
    problems: DELETE_PROBLEMS,
  },
  ...partWords,
});
