import type { APIGatewayProxyResult } from 'aws-lambda';
import * as z from 'zod';
import {
  AlertAction,
  LINKS_WORK_FOR,
  type LinkedAlert,
  openActionToken,
} from '#shared/domain/alerting/alert-action.ts';
import { openUnsubscribeToken } from '#shared/domain/channels/unsubscribe-link.ts';
import { alertChart } from '#shared/domain/charts/alert-chart.ts';
import { chartToken } from '#shared/domain/charts/chart-token.ts';
import { DAY, type Instant } from '#shared/domain/market/instant.ts';
import type { Watchlist } from '#shared/domain/watchlists/watchlist.ts';
import { PersonName } from '#shared/domain/words.ts';
import { pageAnswer } from '#shared/http/html-page.ts';
import { type HttpEvent, pathOf } from '#shared/http/request.ts';
import {
  type LinkRequest,
  linkRoute,
  type Route,
  type Routes,
  routeOf,
} from '#shared/http/route.ts';
import {
  askingPage,
  donePage,
  endedPage,
  fullPage,
  noEmailsPage,
  overPage,
  type ShownAlert,
  subscriptionPage,
  unknownPage,
  unsubscribedPage,
} from './page.ts';
import type { ActOnAlertPorts } from './ports.ts';
import { episodeStatus, takeAction } from './take-action.ts';
import { emailsOf, type ReadEmails, unsubscribe } from './unsubscribe.ts';

export const ActionQuery = z.strictObject({ do: AlertAction.default('acknowledge') });
type ActionQuery = z.output<typeof ActionQuery>;

const NO_QUERY = z.strictObject({});

/** The fields of the form on the page of an action. */
export const ActionForm = z.strictObject({ name: PersonName.optional() });
type ActionForm = z.output<typeof ActionForm>;

/** The operations by method and path. Signed links need no API key. */
export const actionRoutes = {
  'GET /v1/actions/{action}': linkRoute({ query: ActionQuery }, showAction),
  'POST /v1/actions/{action}': linkRoute({ query: ActionQuery, form: ActionForm }, pressAction),
  'GET /v1/subscriptions/{subscription}': linkRoute({ query: NO_QUERY }, showSubscription),
  'POST /v1/subscriptions/{subscription}': linkRoute({ query: NO_QUERY }, endSubscription),
} satisfies Routes<ActOnAlertPorts, undefined>;

export async function actOnAlert(
  ports: ActOnAlertPorts,
  event: HttpEvent,
): Promise<APIGatewayProxyResult> {
  return await routeOf<Route<ActOnAlertPorts, undefined>>(actionRoutes, event).check(event)(
    ports,
    undefined,
  );
}

/**
 * Shows the page of an action. Opening the page changes nothing, because scanners and previews
 * follow links.
 */
async function showAction(
  ports: ActOnAlertPorts,
  { event, query: { do: action } }: LinkRequest<ActionQuery>,
) {
  return await withAlert(ports, event, async ({ shown, endsAt }) => {
    const episode = await episodeStatus(ports, shown.alert);
    if (episode.kind === 'over') return page(200, overPage(shown));
    return page(200, askingPage(shown, action, episode, endsAt));
  });
}

/** Takes an action and shows the result. */
async function pressAction(
  ports: ActOnAlertPorts,
  { event, query: { do: action }, body }: LinkRequest<ActionQuery, ActionForm>,
) {
  return await withAlert(ports, event, async ({ linked, list, shown, endsAt }) => {
    const { alert, timeZone } = shown;
    const episode = await episodeStatus(ports, alert);
    if (episode.kind === 'over') return page(409, overPage(shown));
    const name = body.name === '' ? undefined : body.name;
    const press = { action, name, list, timeZone };
    const hasRoom = await takeAction(ports, linked, press, alert, episode);
    if (!hasRoom) return page(409, fullPage(shown));
    const after = await episodeStatus(ports, alert);
    // The episode ended while the action was taken.
    if (after.kind === 'over') return page(200, overPage(shown));
    return page(200, donePage(shown, action, after, endsAt));
  });
}

type Linked = {
  readonly linked: LinkedAlert;
  readonly list: Watchlist | undefined;
  readonly shown: ShownAlert;
  readonly endsAt: Instant;
};

/** Verifies the link before anything is read. */
async function withAlert(
  ports: ActOnAlertPorts,
  event: HttpEvent,
  answer: (linked: Linked) => Promise<APIGatewayProxyResult>,
): Promise<APIGatewayProxyResult> {
  const token = pathOf(event).action ?? '';
  const key = await ports.readKey();
  const opened = openActionToken(key, token, ports.now());
  if (opened.kind === 'ended') return page(410, endedPage(LINKS_WORK_FOR / DAY));
  const record = opened.kind === 'opened' ? await ports.getAlert(opened.content) : undefined;
  if (opened.kind === 'forged' || record === undefined) return page(404, unknownPage());
  const { content: linked, endsAt } = opened;
  const { alert } = record;
  const list = await ports.getWatchlist({ tenant: linked.tenant, id: linked.watchlist });
  const chart = alertChart(
    alert,
    list?.rules.find(({ id }) => id === alert.rule),
  );
  const shown = {
    alert,
    chart: chart && chartToken(key, chart, Date.parse(alert.at)),
    timeZone: list?.timeZone ?? 'UTC',
  };
  return await answer({ linked, list, shown, endsAt });
}

/**
 * Shows the page to unsubscribe. Opening the page changes nothing, because scanners follow links.
 */
async function showSubscription(ports: ActOnAlertPorts, { event }: LinkRequest) {
  return await withEmails(ports, event, async (emails) => page(200, subscriptionPage(emails)));
}

/**
 * Unsubscribes an email address, by the button of the page or by the one-click button of a mail
 * program (RFC 8058), whose body is ignored.
 */
async function endSubscription(ports: ActOnAlertPorts, { event }: LinkRequest) {
  return await withEmails(ports, event, async (emails) => {
    await unsubscribe(ports, emails);
    return page(200, unsubscribedPage(emails));
  });
}

async function withEmails(
  ports: ActOnAlertPorts,
  event: HttpEvent,
  answer: (emails: ReadEmails) => Promise<APIGatewayProxyResult>,
): Promise<APIGatewayProxyResult> {
  const token = pathOf(event).subscription ?? '';
  const opened = openUnsubscribeToken(await ports.readKey(), token, ports.now());
  if (opened.kind === 'forged') return page(404, unknownPage());
  const { destinationId, leadsTo } = opened.kind === 'opened' ? opened.content : NOTHING;
  const emails = destinationId && (await emailsOf(ports, destinationId, leadsTo));
  return emails === undefined ? page(410, noEmailsPage()) : await answer(emails);
}

const NOTHING = { destinationId: undefined, leadsTo: () => false };

function page(status: number, { title, main }: ReturnType<typeof unknownPage>) {
  return pageAnswer(status, title, main);
}
