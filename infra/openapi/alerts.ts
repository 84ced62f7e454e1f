import { ALERT_COLUMNS, EPISODE_COLUMNS } from '#functions/serve-api/watchlists/alert-columns.ts';
import { alertRoutes } from '#functions/serve-api/watchlists/alert-routes.ts';
import {
  AlertPage,
  AlertRead,
  EpisodePage,
  EpisodeRead,
} from '#functions/serve-api/watchlists/answers/alerts.ts';
import { AcknowledgementBody } from '#shared/domain/alerting/acknowledgement.ts';
import { input } from '#shared/http/described.ts';
import { alert } from './examples.ts';
import { describeRoutes, FORMAT, json, jsonOrCsv, LOOKUP_PROBLEMS, pages } from './operation.ts';

input('AcknowledgementInput', AcknowledgementBody, 'A request that acknowledges an episode.', {
  note: 'A note that is shown with the alert.',
  silences:
    'The alerts of the episode that are no longer sent: `reminders` (default), or `worsening`, which includes reminders. The recovery alert is always sent.',
});

const alertsAnswer = jsonOrCsv(
  json('A page of alerts.', AlertPage, {
    ...{ alerts: [alert], cursor: null, stoppedShort: false, unreadable: [] },
  }),
  ALERT_COLUMNS,
  [AlertRead.parse(alert)],
);

const episode = {
  self: `${alert.self}/episode`,
  ...{ watchlist: 'punks', rule: 'floor-60', label: null, contract: alert.contract },
  ...{ name: 'CryptoPunks', metric: 'floor_price', when: 'below', threshold: '60', unit: 'eth' },
  ...{ severity: 'warning', state: 'open', firedAt: '2026-11-21T12:00:00.000Z', endedAt: null },
  ...{ duration: null, value: '59.9', extreme: null, title: alert.title, acknowledged: null },
  mutes: [],
  timeline: [
    {
      ...{ kind: 'fired', at: alert.at, dataTime: alert.dataTime, value: '59.9' },
      ...{ title: alert.title, alert: alert.self },
      ...{ deliveries: alert.deliveries, operators: alert.operators },
    },
  ],
  complete: true,
};

const COMMAS = ', separated by commas.';

const filters = {
  limit: pages.limit,
  cursor: 'The `cursor` of the previous page, with the same filters; omit it for the first page.',
  format: FORMAT,
  text: 'Only alerts with this text in the label or id of their rule, in the name of their collection, or in their title. The search is case-insensitive.',
  contract: `Only alerts about these NFT contracts${COMMAS}`,
  rule: `Only alerts of the rules with these ids${COMMAS}`,
  kind: `Only alerts of these kinds${COMMAS}`,
  severity: `Only alerts of these severities${COMMAS}`,
  from: 'Only alerts at or after this time (ISO 8601 with a time zone).',
  to: 'Only alerts at or before this time (ISO 8601 with a time zone).',
};

const contactPointAlert = {
  ...alert,
  ...{ kind: 'test', watchlist: '~', rule: null, label: null, generation: null, episode: null },
  ...{ open: null, severity: 'info' },
  self: '/v1/alerts/2026-11-21T12:01:00.000Z~0123456789abcdef0123.0.test-7',
};

/** Documents the operations on the alerts of a list, or of all lists. */
export const alertOperations = describeRoutes(alertRoutes, {
  'GET /v1/alerts': {
    id: 'listAllAlerts',
    tag: 'Alerts',
    summary: 'List the alerts of all watchlists and contact points of the tenant, newest first',
    query: { ...filters, watchlist: `Only alerts of the lists with these ids${COMMAS}` },
    answers: { 200: alertsAnswer },
    problems: ['unreadable'],
  },
  'GET /v1/alerts/{alert}': {
    id: 'getContactPointAlert',
    tag: 'Alerts',
    summary: 'Read one alert about a contact point',
    description:
      'An alert that belongs to no watchlist: a test alert, or a report that a contact point does not accept alerts.',
    answers: { 200: json('The alert.', AlertRead, contactPointAlert) },
    problems: ['not_found'],
  },
  'GET /v1/watchlists/{watchlist}/alerts': {
    id: 'listAlerts',
    tag: 'Alerts',
    summary: 'List the alerts of a watchlist, newest first',
    query: filters,
    answers: { 200: alertsAnswer },
    problems: LOOKUP_PROBLEMS,
  },
  'GET /v1/watchlists/{watchlist}/alerts/{alert}': {
    id: 'getAlert',
    tag: 'Alerts',
    summary: 'Read one alert and its deliveries',
    answers: { 200: json('The alert.', AlertRead, alert) },
    problems: LOOKUP_PROBLEMS,
  },
  'GET /v1/episodes': {
    id: 'listEpisodes',
    tag: 'Alerts',
    summary: 'List the episodes of all watchlists of the tenant, newest first',
    description:
      'An episode lasts from the first alert of a rule on a contract until the rule recovers. Episodes are filtered and sorted by the time of their first alert.',
    query: {
      limit: filters.limit,
      cursor: filters.cursor,
      format: FORMAT,
      text: 'Only episodes with this text in the label or id of their rule, in the name of their collection, or in the title of their first alert. The search is case-insensitive.',
      state: 'Only open episodes, or only ended episodes.',
      contract: `Only episodes on these NFT contracts${COMMAS}`,
      rule: `Only episodes of the rules with these ids${COMMAS}`,
      severity: `Only episodes of these severities${COMMAS}`,
      watchlist: `Only episodes of the lists with these ids${COMMAS}`,
      from: 'Only episodes whose first alert is at or after this time (ISO 8601 with a time zone).',
      to: 'Only episodes whose first alert is at or before this time (ISO 8601 with a time zone).',
    },
    answers: {
      200: jsonOrCsv(
        json('A page of episodes.', EpisodePage, {
          ...{ episodes: [episode], cursor: null, stoppedShort: false, unreadable: [] },
        }),
        EPISODE_COLUMNS,
        [EpisodeRead.parse(episode)],
      ),
    },
    problems: ['unreadable'],
  },
  'GET /v1/watchlists/{watchlist}/alerts/{alert}/episode': {
    id: 'getEpisode',
    tag: 'Alerts',
    summary: 'Read the episode of an alert',
    answers: { 200: json('The episode.', EpisodeRead, episode) },
    problems: LOOKUP_PROBLEMS,
  },
  'POST /v1/watchlists/{watchlist}/alerts/{alert}/acknowledge': {
    id: 'acknowledgeAlert',
    tag: 'Alerts',
    summary: 'Acknowledge the open episode of an alert',
    description:
      'Silences the reminders of the episode. With `silences: "worsening"`, also silences its worsening alerts. The recovery alert is still sent. An acknowledgement can be repeated with another note.',
    bodies: { 'with a note': { note: 'ours' } },
    answers: {
      200: json('The acknowledged alert.', AlertRead, {
        ...alert,
        acknowledged: {
          at: '2026-11-21T12:05:00.000Z',
          by: { key: 'link:desk', name: 'Ada', via: 'Slack #desk' },
          silences: 'reminders',
          note: 'ours',
        },
      }),
    },
    problems: [...LOOKUP_PROBLEMS, 'episode_over'],
  },
});
