import { ActionForm, actionRoutes } from '#functions/act-on-alert/routes.ts';
import { input } from '#shared/http/described.ts';
import { describeRoutes } from './operation.ts';

input('ActionForm', ActionForm, 'The form on the page that an action link opens.', {
  name: 'The name of the person who performs the action, as shown to others. It may be empty.',
});

const headers = {
  'Content-Security-Policy': 'Blocks all scripts, and all requests to other hosts.',
  'Referrer-Policy': 'Prevents browsers from sending the URL of the page as a referrer.',
  'X-Content-Type-Options': 'Prevents browsers from guessing another content type.',
  'X-Frame-Options': 'Prevents other pages from embedding the page in a frame.',
  'X-Robots-Tag': 'Prevents search engines from indexing the page.',
};

const page = (description: string) => ({
  description,
  type: 'text/html; charset=utf-8',
  headers,
});

const NO_EMAILS = {
  404: page('An HTML page: the link is not valid.'),
  410: page('An HTML page: the channel was removed, or its address has changed.'),
};

const query = {
  do: '`acknowledge` acknowledges the episode. `snooze-1h`, `snooze-4h` and `snooze-tomorrow` mute the rule on the contract; `snooze-tomorrow` ends at 9:00 on the next day in the time zone of the list (UTC by default). `snooze-until-recovered` creates a mute that ends with the episode. `resume` ends the mutes that the snooze links created, and resumes worsening alerts that an acknowledgement silenced.',
};
const REFUSALS = {
  404: page('An HTML page: the link is not valid.'),
  410: page('An HTML page: the link has expired. Links work for seven days after the alert.'),
};

/** Documents the operations that links in messages open: pages with actions on alerts. */
export const actionOperations = describeRoutes(actionRoutes, {
  'GET /v1/actions/{action}': {
    id: 'showAction',
    tag: 'Actions',
    summary: 'Show the page that an action link opens',
    description:
      'An HTML page with the state of the episode and a button. Opening the page changes nothing. Messages about open episodes link to it. The link works without a key for seven days after the alert.',
    query,
    answers: { 200: page('The HTML page.'), ...REFUSALS },
  },
  'POST /v1/actions/{action}': {
    id: 'takeAction',
    tag: 'Actions',
    summary: 'Perform the action that a link offers',
    description:
      'The button on the page sends this request. The request affects only the episode of the alert. Repeating the request changes nothing. The audit log records the channel of the message and the name that the person entered.',
    query,
    bodies: { 'with a name': { name: 'Ada' } },
    answers: {
      200: page('An HTML page with the result of the action and the state of the episode.'),
      409: page(
        'An HTML page: the episode has ended, or the list already has the maximum number of mutes.',
      ),
      ...REFUSALS,
    },
  },
  'GET /v1/subscriptions/{subscription}': {
    id: 'showSubscription',
    tag: 'Actions',
    summary: 'Show the page that an unsubscribe link opens',
    description:
      'An HTML page with a button. Opening the page changes nothing. Emails that SES delivers contain a link to it.',
    answers: { 200: page('The HTML page.'), ...NO_EMAILS },
  },
  'POST /v1/subscriptions/{subscription}': {
    id: 'endSubscription',
    tag: 'Actions',
    summary: 'Unsubscribe',
    description:
      'The button on the page sends this request, and so do mail programs with one-click unsubscribe (RFC 8058). The body is ignored. The channel gets no more emails until its address changes.',
    answers: { 200: page('An HTML page: no more emails are sent.'), ...NO_EMAILS },
  },
});
