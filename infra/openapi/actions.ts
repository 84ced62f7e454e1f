import { ActionForm, actionRoutes } from '#functions/act-on-alert/routes.ts';
import { input } from '#shared/http/described.ts';
import { describeRoutes } from './operation.ts';

input('ActionForm', ActionForm, 'What the page of a link sends.', {
  name: 'The name of the person who acts, shown to the others; may be empty.',
});

const headers = {
  'Content-Security-Policy': 'It runs no script, and asks no other host for anything.',
  'Referrer-Policy': 'Other pages do not get its address.',
  'X-Content-Type-Options': 'The type is as declared.',
  'X-Frame-Options': 'No other page can frame it.',
  'X-Robots-Tag': 'Search engines do not index it.',
};

const page = (description: string) => ({
  description,
  type: 'text/html; charset=utf-8',
  headers,
});

const NO_EMAILS = {
  404: page('A page: the stack has not signed this address.'),
  410: page('A page: the channel has another address by now, or is not there any more.'),
};

const query = {
  do: '`acknowledge`; `snooze-1h`, `snooze-4h` and `snooze-tomorrow`, until 9:00 of the next day in the time zone of the list (UTC without one), a mute of the rule on the contract; `snooze-until-recovered`, a mute that ends with the episode; `resume` ends the snoozes of links.',
};
const REFUSALS = {
  404: page('A page: the stack has not signed this address.'),
  410: page('A page: the address has expired, seven days after the alert.'),
};

/** What the links in messages do. */
export const actionOperations = describeRoutes(actionRoutes, {
  'GET /v1/actions/{action}': {
    id: 'showAction',
    tag: 'Actions',
    summary: 'Show what a link of a message does',
    description:
      'A page that says how the episode of the alert stands, and asks for one press. It changes nothing, however often it is opened. Messages of open episodes have its address, which works for seven days after the alert, for whoever has it.',
    query,
    answers: { 200: page('The page.'), ...REFUSALS },
  },
  'POST /v1/actions/{action}': {
    id: 'takeAction',
    tag: 'Actions',
    summary: 'Do what a link of a message does',
    description:
      'What the button of the page sends. Acts on the episode of the alert and on no other. To repeat it changes nothing more. The audit log has the channel of the message, and the name that was given.',
    query,
    bodies: { 'with a name': { name: 'Ada' } },
    answers: {
      200: page('A page: it was done, and how the episode stands now.'),
      409: page('A page: the episode is over, or the list has as many mutes as it may have.'),
      ...REFUSALS,
    },
  },
  'GET /v1/subscriptions/{subscription}': {
    id: 'showSubscription',
    tag: 'Actions',
    summary: 'Show what the unsubscribe link of an email does',
    description:
      'A page that asks for one press. It changes nothing, however often it is opened. Emails that are sent by SES have its address.',
    answers: { 200: page('The page.'), ...NO_EMAILS },
  },
  'POST /v1/subscriptions/{subscription}': {
    id: 'endSubscription',
    tag: 'Actions',
    summary: 'Unsubscribe',
    description:
      'What the button of the page sends, and a mail program by itself (RFC 8058, with a body that is not read). The channel gets no more emails until its address changes.',
    answers: { 200: page('A page: the emails have ended.'), ...NO_EMAILS },
  },
});
