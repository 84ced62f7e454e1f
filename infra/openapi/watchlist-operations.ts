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
import {
  AlertsQuery,
  AllAlertsQuery,
  ChangesQuery,
  PutQuery,
  WatchesQuery,
  WatchlistsQuery,
} from '#functions/manage-watchlists/requests.ts';
import { AcknowledgementBody } from '#shared/domain/alerting/acknowledgement.ts';
import { MuteBody } from '#shared/domain/watchlists/mute.ts';
import { WatchlistBody } from '#shared/domain/watchlists/watchlist-body.ts';
import * as examples from './examples.ts';
import { type Operation, query } from './operation.ts';
import { ifMatch, ifMatchIfThere, ifNoneMatchAny, withTagsAndKeys } from './preconditions.ts';

const pages = {
  limit: 'How many of them a page holds at most.',
  cursor: 'Where the page begins: the `cursor` of the page before; left out for the first.',
};
const COMMAS = ': one or more, with commas between.';
const alertWords = {
  limit: 'How many of them a page holds at most.',
  cursor:
    'Where the page begins: the `cursor` of the page before, of the same question; left out for the first.',
  contract: `About these NFT contracts only${COMMAS}`,
  rule: `Of the rules with these ids only${COMMAS}`,
  kind: `Of these kinds only${COMMAS}`,
  severity: `Of these severities only${COMMAS}`,
  from: 'The moment from which they were made, with its zone.',
  to: 'The moment up to which they were made, with its zone.',
};
const ETag = 'The revision of the list, in quotes.';
const Location = 'The path of what was made.';
const watchlistBody = {
  schema: WatchlistBody,
  required: true,
  examples: { 'one rule': examples.watchlistBody, 'many rules': examples.manyRulesBody },
};
const oneWatchlist = {
  schema: WatchlistAnswer,
  headers: { ETag },
  example: examples.watchlist,
};

export const watchlistOperations: Readonly<Record<string, Operation>> = withTagsAndKeys({
  'GET /v1/watchlists': {
    id: 'listWatchlists',
    tag: 'Watchlists',
    summary: 'List the watchlists of the tenant',
    parameters: query(WatchlistsQuery, pages),
    answers: {
      200: {
        description: 'A page of lists.',
        schema: WatchlistPage,
        example: examples.watchlistPage,
      },
    },
    problems: ['invalid_request', 'forbidden'],
  },
  'POST /v1/watchlists': {
    id: 'createWatchlist',
    tag: 'Watchlists',
    summary: 'Make a watchlist',
    description:
      'Only `name` is required. The list is brought into effect contract by contract: `pendingChanges` says how many are left.',
    body: watchlistBody,
    answers: {
      201: {
        ...oneWatchlist,
        description: 'The list was made.',
        headers: { ETag, Location },
      },
    },
    problems: [
      'invalid_request',
      'too_large',
      'unsupported_media_type',
      'already_exists',
      'unreadable',
      'conflict',
      'quota_exceeded',
      'secrets_unavailable',
      'forbidden',
    ],
  },
  'GET /v1/watchlists/{watchlist}': {
    id: 'getWatchlist',
    tag: 'Watchlists',
    summary: 'Read a watchlist',
    answers: { 200: { ...oneWatchlist, description: 'The list.' } },
    problems: ['invalid_request', 'not_found', 'unreadable', 'forbidden'],
  },
  'PUT /v1/watchlists/{watchlist}': {
    id: 'putWatchlist',
    tag: 'Watchlists',
    summary: 'Make a watchlist what the body says',
    description:
      'The body is the desired state, whole: what it leaves out is taken away. With `If-Match: *` it also replaces a list that this version cannot read (`unreadable`): rules that it understands keep their episodes, and channels their secrets. Saying what the list says already changes nothing, so a request may be repeated. A rule whose condition stays keeps its episodes; `restarted` names the others.',
    parameters: [
      ...query(PutQuery, {
        dryRun:
          '`true` checks all that would be checked and writes nothing: the answer, always 200, reports what would change, and what the next answers would make of the new watches. `If-Match` may then be left out.',
      }),
      ifMatchIfThere,
      ifNoneMatchAny,
    ],
    body: watchlistBody,
    answers: {
      200: {
        ...oneWatchlist,
        schema: PutAnswer,
        description: 'The list is as the body says; or, of a dry run, what would change.',
      },
      201: { ...oneWatchlist, description: 'There was no such list, and it was made.' },
    },
    problems: [
      'invalid_request',
      'too_large',
      'unsupported_media_type',
      'unreadable',
      'conflict',
      'precondition_failed',
      'precondition_required',
      'quota_exceeded',
      'secrets_unavailable',
      'forbidden',
    ],
  },
  'GET /v1/watchlists/{watchlist}/export': {
    id: 'exportWatchlist',
    tag: 'Watchlists',
    summary: 'Read a watchlist as a document that a PUT takes',
    description:
      'A `PUT` of it to the same list changes nothing; to another it makes an equal one. Secrets of channels are named by their names, which mean nothing to another list: there they have to be given.',
    answers: {
      200: {
        description: 'The document.',
        schema: WatchlistExport,
        example: examples.watchlistExport,
      },
    },
    problems: ['invalid_request', 'not_found', 'unreadable', 'forbidden'],
  },
  'DELETE /v1/watchlists/{watchlist}': {
    id: 'deleteWatchlist',
    tag: 'Watchlists',
    summary: 'Delete a watchlist',
    description: 'With `If-Match: *` also one that this version cannot read (`unreadable`).',
    parameters: [ifMatch],
    answers: { 204: { description: 'There is no such list any more.' } },
    problems: [
      'invalid_request',
      'not_found',
      'unreadable',
      'conflict',
      'precondition_failed',
      'precondition_required',
      'forbidden',
    ],
  },
  'GET /v1/watchlists/{watchlist}/watches': {
    id: 'listWatches',
    tag: 'Watches',
    summary: 'List the watches of a watchlist: every rule on every contract, and its state',
    parameters: query(WatchesQuery, { cursor: pages.cursor }),
    answers: {
      200: { description: 'A page of watches.', schema: WatchPage, example: examples.watchPage },
    },
    problems: ['invalid_request', 'not_found', 'unreadable', 'forbidden'],
  },
  'GET /v1/watchlists/{watchlist}/watches/{contract}/{rule}': {
    id: 'getWatch',
    tag: 'Watches',
    summary: 'Read one watch: a rule on a contract, and its state',
    answers: {
      200: { description: 'The watch.', schema: OneWatchAnswer, example: examples.watch },
    },
    problems: ['invalid_request', 'not_found', 'unreadable', 'forbidden'],
  },
  'GET /v1/watchlists/{watchlist}/watches/{contract}/{rule}/explain': {
    id: 'explainWatch',
    tag: 'Watches',
    summary: 'Explain one watch: its data, what it waits for, and why it is silent',
    answers: {
      200: {
        description: 'The watch.',
        schema: ExplanationAnswer,
        example: examples.explanation,
      },
    },
    problems: ['invalid_request', 'not_found', 'unreadable', 'forbidden'],
  },
  'GET /v1/alerts': {
    id: 'listAllAlerts',
    tag: 'Alerts',
    summary: 'List what all watchlists of the tenant have reported, newest first',
    parameters: query(AllAlertsQuery, {
      ...alertWords,
      watchlist: `Of these lists only${COMMAS}`,
    }),
    answers: {
      200: { description: 'A page of alerts.', schema: AlertPage, example: examples.alertPage },
    },
    problems: ['invalid_request', 'unreadable', 'forbidden'],
  },
  'GET /v1/watchlists/{watchlist}/alerts': {
    id: 'listAlerts',
    tag: 'Alerts',
    summary: 'List what a watchlist has reported, newest first',
    parameters: query(AlertsQuery, alertWords),
    answers: {
      200: { description: 'A page of alerts.', schema: AlertPage, example: examples.alertPage },
    },
    problems: ['invalid_request', 'not_found', 'unreadable', 'forbidden'],
  },
  'GET /v1/watchlists/{watchlist}/alerts/{alert}': {
    id: 'getAlert',
    tag: 'Alerts',
    summary: 'Read one alert, and what became of it',
    answers: { 200: { description: 'The alert.', schema: AlertAnswer, example: examples.alert } },
    problems: ['invalid_request', 'not_found', 'unreadable', 'forbidden'],
  },
  'POST /v1/watchlists/{watchlist}/alerts/{alert}/acknowledge': {
    id: 'acknowledgeAlert',
    tag: 'Alerts',
    summary: 'Acknowledge the open episode that an alert is of',
    description:
      'Silences the reminders of the episode; its worsening and its end are still reported. It may be repeated, with another note.',
    body: {
      schema: AcknowledgementBody,
      required: false,
      examples: { 'with a note': { note: 'ours' } },
    },
    answers: {
      200: {
        description: 'The alert, acknowledged.',
        schema: AlertAnswer,
        example: {
          ...examples.alert,
          acknowledged: { at: '2026-11-21T12:05:00.000Z', note: 'ours' },
        },
      },
    },
    problems: [
      'invalid_request',
      'too_large',
      'unsupported_media_type',
      'not_found',
      'unreadable',
      'episode_over',
      'forbidden',
    ],
  },
  'GET /v1/usage': {
    id: 'getUsage',
    tag: 'Usage',
    summary: 'Read what the tenant holds and has asked for, beside what it may',
    description:
      'What a change under way may come to counts already. Units of requests come back evenly over a minute.',
    answers: {
      200: { description: 'What is used.', schema: UsageAnswer, example: examples.usage },
    },
    problems: ['invalid_request', 'unreadable', 'forbidden'],
  },
  'GET /v1/changes': {
    id: 'listChanges',
    tag: 'Changes',
    summary: 'List the changes of the tenant, newest first',
    description:
      'Each change of a list and of its mutes that was accepted, each alert that was acknowledged, and each channel that was tested or confirmed, for 400 days. What a change has edited is reported by names.',
    parameters: query(ChangesQuery, {
      ...pages,
      watchlist: 'Only what is about the list of this id, also one that is deleted.',
    }),
    answers: {
      200: { description: 'A page of changes.', schema: ChangePage, example: examples.changePage },
    },
    problems: ['invalid_request', 'forbidden'],
  },
  'GET /v1/watchlists/{watchlist}/mutes': {
    id: 'listMutes',
    tag: 'Mutes',
    summary: 'List the mutes of a watchlist that are running',
    answers: {
      200: { description: 'The mutes.', schema: MuteList, example: { mutes: [examples.mute] } },
    },
    problems: ['invalid_request', 'not_found', 'unreadable', 'forbidden'],
  },
  'POST /v1/watchlists/{watchlist}/mutes': {
    id: 'createMute',
    tag: 'Mutes',
    summary: 'Keep the alerts of a watchlist back for a while',
    description:
      'States go on as ever: what fired and recovered meanwhile is reported in one summary for each watch when the mute ends.',
    body: {
      schema: MuteBody,
      required: true,
      examples: { 'for six hours': { for: '6h', severity: 'info', reason: 'release day' } },
    },
    answers: {
      201: {
        description: 'The mute was made.',
        schema: MuteAnswer,
        headers: { Location },
        example: examples.mute,
      },
    },
    problems: [
      'invalid_request',
      'too_large',
      'unsupported_media_type',
      'not_found',
      'unreadable',
      'conflict',
      'forbidden',
    ],
  },
  'GET /v1/watchlists/{watchlist}/mutes/{mute}': {
    id: 'getMute',
    tag: 'Mutes',
    summary: 'Read a mute that is running',
    answers: { 200: { description: 'The mute.', schema: MuteAnswer, example: examples.mute } },
    problems: ['invalid_request', 'not_found', 'unreadable', 'forbidden'],
  },
  'DELETE /v1/watchlists/{watchlist}/mutes/{mute}': {
    id: 'liftMute',
    tag: 'Mutes',
    summary: 'Lift a mute before its end; what it has held is sent',
    parameters: [ifMatch],
    answers: { 204: { description: 'The mute is lifted.' } },
    problems: [
      'invalid_request',
      'not_found',
      'unreadable',
      'conflict',
      'precondition_failed',
      'precondition_required',
      'forbidden',
    ],
  },
});
