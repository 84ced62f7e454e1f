import * as z from 'zod';
import { alertRoutes } from '#functions/manage-watchlists/alert-routes.ts';
import { AcknowledgementBody } from '#shared/domain/alerting/acknowledgement.ts';
import alertSchema from '#shared/domain/alerting/alert.schema.json' with { type: 'json' };
import { Alert, Fact } from '#shared/domain/alerting/alert.ts';
import { Line } from '#shared/domain/words.ts';
import { input, object, register } from './component.ts';
import { alert } from './examples.ts';
import { describeRoutes, json, LOOKUP_PROBLEMS, pages } from './operation.ts';
import { filledPage, MOMENT, MomentText } from './shapes.ts';

/** The members of an alert. */
export const alertMembers: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(alertSchema.properties).map(([member, { description }]) => [member, description]),
);

input('AcknowledgementInput', AcknowledgementBody, 'An acknowledgement in a request.', {
  note: 'A note for the readers of the alert.',
});

export const Acknowledgement = object('Acknowledgement', 'The acknowledgement of an episode.', {
  at: [MomentText, `When: ${MOMENT}.`],
  note: [Line.nullable(), 'The note that came with it.'],
});

const Delivery = object('Delivery', 'The delivery of an alert to one receiver.', {
  state: [
    z.enum(['pending', 'accepted', 'sent', 'failed']),
    '`pending`: it waits to be sent. `accepted`: SNS has it, for an email or a queue. `sent`: the server of the chat or the webhook has it. `failed`: no attempt is left.',
  ],
  at: [MomentText.nullable(), `When it reached that state: ${MOMENT}; null while it waits.`],
  reason: [z.string().nullable(), 'Why it failed.'],
});

register({
  name: 'AlertFact',
  schema: Fact,
  side: 'output',
  description: 'One thing to know of an alert, for people.',
  members: { name: 'Its name: `Was`, `Distance`.', value: 'Its value in words.' },
});

const AlertRead = register({
  name: 'Alert',
  schema: Alert.extend({
    self: z.string().regex(/^\/v1\/watchlists\/[^/]+\/alerts\/[^/]+$/),
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

const alertPage = { alerts: [alert], cursor: null, stoppedShort: false, unreadable: [] };

const COMMAS = ', separated by commas.';
const filters = {
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

/** The alerts of a list, or of all lists. */
export const alertOperations = describeRoutes(alertRoutes, {
  'GET /v1/alerts': {
    id: 'listAllAlerts',
    tag: 'Alerts',
    summary: 'List the alerts of all watchlists of the tenant, newest first',
    query: { ...filters, watchlist: `Only alerts of the lists with these ids${COMMAS}` },
    answers: { 200: json('A page of alerts.', AlertPage, alertPage) },
    problems: ['unreadable'],
  },
  'GET /v1/watchlists/{watchlist}/alerts': {
    id: 'listAlerts',
    tag: 'Alerts',
    summary: 'List the alerts of a watchlist, newest first',
    query: filters,
    answers: { 200: json('A page of alerts.', AlertPage, alertPage) },
    problems: LOOKUP_PROBLEMS,
  },
  'GET /v1/watchlists/{watchlist}/alerts/{alert}': {
    id: 'getAlert',
    tag: 'Alerts',
    summary: 'Read one alert and its deliveries',
    answers: { 200: json('The alert.', AlertRead, alert) },
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
      200: json('The alert, acknowledged.', AlertRead, {
        ...alert,
        acknowledged: { at: '2026-11-21T12:05:00.000Z', note: 'ours' },
      }),
    },
    problems: [...LOOKUP_PROBLEMS, 'episode_over'],
  },
});
