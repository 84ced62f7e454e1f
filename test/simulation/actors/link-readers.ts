import type { ActOnAlertPorts } from '#functions/act-on-alert/ports.ts';
import { actOnAlert } from '#functions/act-on-alert/routes.ts';
import { isOfEpisode } from '#shared/domain/alerting/acknowledgement.ts';
import type { Alert } from '#shared/domain/alerting/alert.ts';
import { AlertAction } from '#shared/domain/alerting/alert-action.ts';
import type { Notification } from '#shared/domain/alerting/notification.ts';
import type { EventLog } from '#test/simulation/event-log.ts';
import { nameOfEpisode } from '#test/simulation/invariants/alert-check.ts';
import type { Stream } from '#test/simulation/services/streams.ts';
import { anHttpRequest } from '#test/support/builders.ts';
import { PUBLIC_URL } from '#test/support/outside.ts';
import type { Action } from './users.ts';

/** Prefix of the action links in messages. */
const LINKS_URL = `${PUBLIC_URL}actions/`;

type Link = { readonly alert: Alert; readonly token: string };

/**
 * Readers who follow links in messages about a current or a long-ended episode, and scanners that
 * open every link.
 */
export function createLinkReaders(
  stream: Stream,
  { broken, met }: Pick<EventLog, 'broken' | 'met'>,
) {
  const links: Link[] = [];

  const opens = ({ token }: Link): Action['work'] => {
    return async (ports) => {
      for (const action of AlertAction.options) {
        await answerTo(untouched(ports.links), 'GET', token, action);
      }
      met('link opened');
    };
  };
  const untouched = (ports: ActOnAlertPorts): ActOnAlertPorts => {
    const refuse = async () => broken('opening a link changes nothing', 'it wrote');
    return {
      ...ports,
      ...{ commitChange: refuse, sendToLists: refuse },
    };
  };

  const presses = ({ alert, token }: Link): Action['work'] => {
    const action = stream.pick(AlertAction.options);
    return async (ports) => {
      const { statusCode } = await answerTo(within(alert, ports.links), 'POST', token, action);
      met(`link pressed: ${action} ${statusCode}`);
    };
  };
  /** Checks each change: it must act on the episode of the link, or remove a snooze. */
  const within = (alert: Alert, ports: ActOnAlertPorts): ActOnAlertPorts => ({
    ...ports,
    commitChange: async (change) => {
      const { acknowledgement, mutes } = change;
      if (acknowledgement !== undefined && !isOfEpisode(alert, acknowledgement.after)) {
        broken('pressing a link acts on the episode of its alert', alert.id);
      }
      const before = mutes && (await ports.getMutes(mutes.list));
      // The commit is refused if the mutes have changed since they were read.
      await ports.commitChange(change);
      const ids = new Set(before?.mutes.map(({ id }) => id));
      for (const { id, rule, contract, episodes = [] } of mutes?.mutes ?? []) {
        const isOwn =
          rule === alert.rule &&
          contract === alert.contract &&
          episodes.every(({ name }) => name === nameOfEpisode(alert));
        if (!ids.has(id) && !isOwn)
          broken(
            'pressing a link mutes only the rule, contract and episode of its alert',
            alert.id,
          );
      }
    },
  });

  const forges = ({ token }: Link): Action['work'] => {
    return async (ports) => {
      const [body = '', signature = ''] = token.split('.');
      const forged = `${body.slice(0, -1)}${body.endsWith('A') ? 'B' : 'A'}.${signature}`;
      const getAlert = async () => {
        broken('a forged link reads nothing', forged);
        return undefined;
      };
      const { statusCode } = await answerTo({ ...ports.links, getAlert }, 'POST', forged);
      if (statusCode !== 404) broken('a forged link is answered with 404', `${statusCode}`);
    };
  };

  return {
    /** Remembers the links of a message. */
    arrived: (notification: Notification): void => {
      if (notification.kind !== 'alert' || notification.actions === undefined) return;
      const token = notification.actions.slice(LINKS_URL.length);
      links.push({ alert: notification.alert, token });
    },

    /** A person or a scanner follows the link of a message. */
    follows: (): Action | undefined => {
      if (links.length === 0) return undefined;
      const link = stream.pick(stream.happens(0.6) ? links.slice(-3) : links);
      const { tenant, watchlist: id } = link.alert;
      const [name, work] = stream.pick([
        ['open a link', opens(link)],
        ['press a link', presses(link)],
        ['press a link', presses(link)],
        ['forge a link', forges(link)],
      ] as const);
      return { name, by: { tenant, id }, via: 'act-on-alert', work };
    },
  };
}

async function answerTo(
  ports: ActOnAlertPorts,
  method: 'GET' | 'POST',
  token: string,
  action: AlertAction = 'acknowledge',
) {
  const event = anHttpRequest(`${method} /v1/actions/{action}`, {
    ...{ path: { action: token }, query: { do: action } },
  });
  return await actOnAlert(ports, { ...event, headers: {}, body: 'name=Ada' });
}
