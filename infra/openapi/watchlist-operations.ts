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

const COMMAS = ': one or more, with commas between.';
const alertWords = {
  limit: pages.limit,
  cursor:
    'Where the page begins: the `cursor` of the page before, of the same question; left out for the first.',
  contract: `About these NFT contracts only${COMMAS}`,
  rule: `Of the rules with these ids only${COMMAS}`,
  kind: `Of these kinds only${COMMAS}`,
  severity: `Of these severities only${COMMAS}`,
  from: 'The moment from which they were made, with its zone.',
  to: 'The moment up to which they were made, with its zone.',
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
    summary: 'Make a watchlist',
    description:
      'Only `name` is required. The list is brought into effect contract by contract: `pendingChanges` says how many are left.',
    bodies,
    answers: {
      201: json('The list was made.', WatchlistAnswer, examples.watchlist, { ETag, Location }),
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
    summary: 'Make a watchlist what the body says',
    description:
      'The body is the desired state, whole: what it leaves out is taken away. With `If-Match: *` it also replaces a list that this version cannot read (`unreadable`): rules that it understands keep their episodes, and channels their secrets. Saying what the list says already changes nothing, so a request may be repeated. A rule whose condition stays keeps its episodes; `restarted` names the others.',
    query: {
      dryRun:
        '`true` checks all that would be checked and writes nothing: the answer, always 200, reports what would change, and what the next answers would make of the new watches. `If-Match` may then be left out.',
    },
    headers: [ifMatchIfThere, ifNoneMatchAny],
    bodies,
    answers: {
      200: json(
        'The list is as the body says; or, of a dry run, what would change.',
        PutAnswer,
        examples.watchlist,
        { ETag },
      ),
      201: json('There was no such list, and it was made.', WatchlistAnswer, examples.watchlist, {
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
      'A `PUT` of it to the same list changes nothing; to another it makes an equal one. Secrets of channels are named by their names, which mean nothing to another list: there they have to be given.',
    answers: { 200: json('The document.', WatchlistExport, examples.watchlistExport) },
    problems: LOOKUP_PROBLEMS,
  },
  'DELETE /v1/watchlists/{watchlist}': {
    id: 'deleteWatchlist',
    tag: 'Watchlists',
    summary: 'Delete a watchlist',
    description: 'With `If-Match: *` also one that this version cannot read (`unreadable`).',
    headers: [ifMatch],
    answers: { 204: { description: 'There is no such list any more.' } },
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
    summary: 'List what all watchlists of the tenant have reported, newest first',
    query: {
      ...alertWords,
      watchlist: `Of these lists only${COMMAS}`,
    },
    answers: { 200: json('A page of alerts.', AlertPage, examples.alertPage) },
    problems: ['unreadable'],
  },
  'GET /v1/watchlists/{watchlist}/alerts': {
    id: 'listAlerts',
    tag: 'Alerts',
    summary: 'List what a watchlist has reported, newest first',
    query: alertWords,
    answers: { 200: json('A page of alerts.', AlertPage, examples.alertPage) },
    problems: LOOKUP_PROBLEMS,
  },
  'GET /v1/watchlists/{watchlist}/alerts/{alert}': {
    id: 'getAlert',
    tag: 'Alerts',
    summary: 'Read one alert, and what became of it',
    answers: { 200: json('The alert.', AlertAnswer, examples.alert) },
    problems: LOOKUP_PROBLEMS,
  },
  'POST /v1/watchlists/{watchlist}/alerts/{alert}/acknowledge': {
    id: 'acknowledgeAlert',
    tag: 'Alerts',
    summary: 'Acknowledge the open episode that an alert is of',
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
    summary: 'Read what the tenant holds and has asked for, beside what it may',
    description:
      'What a change under way may come to counts already. Units of requests come back evenly over a minute.',
    answers: { 200: json('What is used.', UsageAnswer, examples.usage) },
    problems: ['unreadable'],
  },
  'GET /v1/changes': {
    id: 'listChanges',
    tag: 'Changes',
    summary: 'List the changes of the tenant, newest first',
    description:
      'Each change of a list and of its mutes that was accepted, each alert that was acknowledged, and each channel that was tested or confirmed, for 400 days. What a change has edited is reported by names.',
    query: {
      ...pages,
      watchlist: 'Only what is about the list of this id, also one that is deleted.',
    },
    answers: { 200: json('A page of changes.', ChangePage, examples.changePage) },
  },
  'GET /v1/watchlists/{watchlist}/mutes': {
    id: 'listMutes',
    tag: 'Mutes',
    summary: 'List the mutes of a watchlist that are running',
    answers: { 200: json('The mutes.', MuteList, { mutes: [examples.mute] }) },
    problems: LOOKUP_PROBLEMS,
  },
  'POST /v1/watchlists/{watchlist}/mutes': {
    id: 'createMute',
    tag: 'Mutes',
    summary: 'Keep the alerts of a watchlist back for a while',
    description:
      'States go on as ever: what fired and recovered meanwhile is reported in one summary for each watch when the mute ends.',
    bodies: { 'for six hours': { for: '6h', severity: 'info', reason: 'release day' } },
    answers: {
      201: json('The mute was made.', MuteAnswer, examples.mute, { Location }),
    },
    problems: [...LOOKUP_PROBLEMS, 'conflict'],
  },
  'GET /v1/watchlists/{watchlist}/mutes/{mute}': {
    id: 'getMute',
    tag: 'Mutes',
    summary: 'Read a mute that is running',
    answers: { 200: json('The mute.', MuteAnswer, examples.mute) },
    problems: LOOKUP_PROBLEMS,
  },
  'DELETE /v1/watchlists/{watchlist}/mutes/{mute}': {
    id: 'liftMute',
    tag: 'Mutes',
    summary: 'Lift a mute before its end; what it has held is sent',
    headers: [ifMatch],
    answers: { 204: { description: 'The mute is lifted.' } },
    problems: DELETE_PROBLEMS,
  },
  ...partWords,
});
