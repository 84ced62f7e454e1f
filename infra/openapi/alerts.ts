import * as z from 'zod';
import { ALERT_COLUMNS, EPISODE_COLUMNS } from '#functions/serve-api/watchlists/alert-columns.ts';
import { alertRoutes } from '#functions/serve-api/watchlists/alert-routes.ts';
import { AcknowledgementBody, Silences } from '#shared/domain/alerting/acknowledgement.ts';
import alertSchema from '#shared/domain/alerting/alert.schema.json' with { type: 'json' };
import { Alert, Fact } from '#shared/domain/alerting/alert.ts';
import { Identifier, Line } from '#shared/domain/words.ts';
import { DecimalText, filledPage, MOMENT, MomentText } from '#shared/http/answer-shapes.ts';
import { input, object, register } from '#shared/http/described.ts';
import { Actor } from './actor.ts';
import { alert } from './examples.ts';
import { Mute } from './mutes.ts';
import { describeRoutes, FORMAT, json, jsonOrCsv, LOOKUP_PROBLEMS, pages } from './operation.ts';

/** The members of an alert. */
export const alertMembers: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(alertSchema.properties)
    .filter(([member]) => member in Alert.shape)
    .map(([member, { description }]) => [member, description]),
);

input('AcknowledgementInput', AcknowledgementBody, 'An acknowledgement in a request.', {
  note: 'A note for the readers of the alert.',
  silences:
    'Which alerts of the episode are no longer sent: its `reminders`, the default, or also its `worsening`. Its end is always sent.',
});

export const Acknowledgement = object('Acknowledgement', 'The acknowledgement of an episode.', {
  at: [MomentText, `When: ${MOMENT}.`],
  by: [
    Actor.nullable(),
    'The key, or the link of a message, that was used; null where it was not recorded.',
  ],
  silences: [
    Silences,
    'Which alerts of the episode are no longer sent: `worsening` includes reminders.',
  ],
  note: [Line.nullable(), 'The note that came with it.'],
});

const Delivery = object('Delivery', 'The delivery of an alert to one receiver.', {
  state: [
    z.enum(['pending', 'accepted', 'sent', 'skipped', 'failed']),
    '`pending`: it waits to be sent. `accepted`: SNS has it, for an email or a queue. `sent`: the server of the chat or the webhook has it. `skipped`: that the episode is acknowledged could only have been written into a message of the channel, and none shows the episode. `failed`: no attempt is left.',
  ],
  at: [MomentText.nullable(), `When it reached that state: ${MOMENT}; null while it waits.`],
  reason: [z.string().nullable(), 'Why it failed, or was skipped.'],
});

register({
  name: 'AlertFact',
  schema: Fact,
  side: 'output',
  description: 'A fact about an alert, for people.',
  members: {
    name: 'Its name: `Was`, `Distance`.',
    value: 'Its value in words.',
    time: `The moment that the value names, if it names one: ${MOMENT}.`,
  },
});

export const AlertRead = register({
  name: 'Alert',
  schema: Alert.extend({
    self: z.string().regex(/^(\/[^/]+)*\/v1(\/watchlists\/[^/]+)?\/alerts\/[^/]+$/),
    acknowledged: Acknowledgement.nullable(),
    deliveries: z.record(z.string(), Delivery),
    operators: z.record(z.string(), Delivery),
  }),
  side: 'output',
  description: alertSchema.description,
  members: {
    ...alertMembers,
    self: 'The path of the alert.',
    acknowledged: 'The acknowledgement of its episode; null without one.',
    deliveries: 'Its deliveries, by the ids of the channels of its list.',
    operators: 'Its deliveries to the operators of the stack: `stack-topic`, `stack-slack`.',
  },
});

const AlertPage = object('AlertPage', 'A page of alerts.', {
  alerts: [z.array(AlertRead), 'The alerts, newest first.'],
  ...filledPage,
});

const alertsAnswer = jsonOrCsv(
  json('A page of alerts.', AlertPage, {
    ...{ alerts: [alert], cursor: null, stoppedShort: false, unreadable: [] },
  }),
  ALERT_COLUMNS,
  [AlertRead.parse(alert)],
);

const TimelineEntry = object('TimelineEntry', 'An alert of an episode.', {
  kind: [Alert.shape.kind, alertMembers.kind ?? ''],
  at: [MomentText, `When it was made: ${MOMENT}.`],
  dataTime: [MomentText, `The time of the data: ${MOMENT}.`],
  value: [DecimalText.nullable(), 'The value of the metric, a decimal in `unit`.'],
  title: [z.string(), 'What happened, in one line.'],
  alert: [z.string(), 'The path of the alert.'],
  deliveries: [z.record(z.string(), Delivery), 'Its deliveries, by the ids of the channels.'],
  operators: [z.record(z.string(), Delivery), 'Its deliveries to the operators of the stack.'],
});

const Episode = object(
  'Episode',
  'What happened from the first alert of a rule on a contract until it recovered.',
  {
    self: [z.string(), 'The path of the episode.'],
    watchlist: [Identifier, 'The id of the list.'],
    rule: [Identifier.nullable(), 'The id of the rule.'],
    label: [Alert.shape.label, 'The label of the rule.'],
    contract: [Alert.shape.contract, 'The NFT contract.'],
    name: [Alert.shape.name, 'The name of the collection, of a report that of the watchlist.'],
    metric: [Alert.shape.metric, 'The metric of the rule.'],
    when: [Alert.shape.when, 'The condition of the rule.'],
    threshold: [DecimalText.nullable(), 'The line that was passed, a decimal in `unit`.'],
    unit: [Alert.shape.unit, 'The unit of the numbers.'],
    severity: [Alert.shape.severity, 'The severity of its alerts.'],
    state: [
      z.enum(['open', 'over']),
      '`open`: it goes on. `over`: it has recovered or was closed; each crossing of a line is over at once.',
    ],
    firedAt: [MomentText, `The time of the data that began it: ${MOMENT}.`],
    endedAt: [
      MomentText.nullable(),
      `The time of the data that ended it: ${MOMENT}; null while it is open, and if its end was not reported (\`notifyRecovery\`).`,
    ],
    duration: [Alert.shape.duration, 'How long it had lasted at its last alert.'],
    value: [DecimalText.nullable(), 'The value in its last alert, a decimal in `unit`.'],
    extreme: [DecimalText.nullable(), 'The value furthest beyond the line, once it has recovered.'],
    title: [z.string(), 'What its last alert says, in one line.'],
    acknowledged: [Acknowledgement.nullable(), 'Its acknowledgement; null without one.'],
    mutes: [z.array(Mute), 'The running mutes that hold its next alerts back.'],
    timeline: [z.array(TimelineEntry), 'Its alerts, the first one first.'],
    complete: [z.boolean(), 'Whether all of its alerts are in `timeline`.'],
  },
);

export const EpisodePage = object('EpisodePage', 'A page of episodes.', {
  episodes: [z.array(Episode), 'The episodes, newest first.'],
  ...filledPage,
});

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
  cursor:
    'Where the page begins: the `cursor` of the page before, with the same filters; left out for the first.',
  format: FORMAT,
  text: 'Only alerts with this text in the label or id of their rule, the name of the collection or the title, in any case of letters.',
  contract: `Only alerts about these NFT contracts${COMMAS}`,
  rule: `Only alerts of the rules with these ids${COMMAS}`,
  kind: `Only alerts of these kinds${COMMAS}`,
  severity: `Only alerts of these severities${COMMAS}`,
  from: 'The beginning of the time span of the alerts, with its zone.',
  to: 'The end of the time span of the alerts, with its zone.',
};

const contactPointAlert = {
  ...alert,
  ...{ kind: 'test', watchlist: '~', rule: null, label: null, generation: null, episode: null },
  ...{ open: null, severity: 'info' },
  self: '/v1/alerts/2026-11-21T12:01:00.000Z~0123456789abcdef0123.0.test-7',
};

/** The alerts of a list, or of all lists. */
export const alertOperations = describeRoutes(alertRoutes, {
  'GET /v1/alerts': {
    id: 'listAllAlerts',
    tag: 'Alerts',
    summary:
      'List the alerts of all watchlists of the tenant, and about its contact points, newest first',
    query: { ...filters, watchlist: `Only alerts of the lists with these ids${COMMAS}` },
    answers: { 200: alertsAnswer },
    problems: ['unreadable'],
  },
  'GET /v1/alerts/{alert}': {
    id: 'getContactPointAlert',
    tag: 'Alerts',
    summary: 'Read one alert about a contact point',
    description:
      'It belongs to no watchlist: it is a test, or it reports a contact point that does not accept alerts.',
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
      'An episode is what happened from the first alert of a rule on a contract until it recovered. It is found by the moment of its first alert.',
    query: {
      limit: filters.limit,
      cursor: filters.cursor,
      format: FORMAT,
      text: 'Only episodes whose first alert has this text in the label or id of its rule, the name of the collection or the title, in any case of letters.',
      state: 'Only episodes that are open, or over.',
      contract: `Only episodes on these NFT contracts${COMMAS}`,
      rule: `Only episodes of the rules with these ids${COMMAS}`,
      severity: `Only episodes of these severities${COMMAS}`,
      watchlist: `Only episodes of the lists with these ids${COMMAS}`,
      from: 'The beginning of the time span of their first alerts, with its zone.',
      to: 'The end of the time span of their first alerts, with its zone.',
    },
    answers: {
      200: jsonOrCsv(
        json('A page of episodes.', EpisodePage, {
          ...{ episodes: [episode], cursor: null, stoppedShort: false, unreadable: [] },
        }),
        EPISODE_COLUMNS,
        [Episode.parse(episode)],
      ),
    },
    problems: ['unreadable'],
  },
  'GET /v1/watchlists/{watchlist}/alerts/{alert}/episode': {
    id: 'getEpisode',
    tag: 'Alerts',
    summary: 'Read the episode that an alert is of',
    answers: { 200: json('The episode.', Episode, episode) },
    problems: LOOKUP_PROBLEMS,
  },
  'POST /v1/watchlists/{watchlist}/alerts/{alert}/acknowledge': {
    id: 'acknowledgeAlert',
    tag: 'Alerts',
    summary: 'Acknowledge the open episode of an alert',
    description:
      'Silences the reminders of the episode, and with `silences: "worsening"` its worsening too; its end is still reported. It may be repeated, with another note.',
    bodies: { 'with a note': { note: 'ours' } },
    answers: {
      200: json('The alert, acknowledged.', AlertRead, {
        ...alert,
        acknowledged: {
          at: '2026-11-21T12:05:00.000Z',
          by: { key: 'link:desk', name: 'Ada' },
          silences: 'reminders',
          note: 'ours',
        },
      }),
    },
    problems: [...LOOKUP_PROBLEMS, 'episode_over'],
  },
});
