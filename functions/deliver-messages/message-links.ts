import type { Alert } from '#shared/domain/alerting/alert.ts';
import { actionToken, hasOpenEpisode } from '#shared/domain/alerting/alert-action.ts';
import {
  type UnsubscribeLink,
  unsubscribeToken,
} from '#shared/domain/channels/unsubscribe-link.ts';
import { alertChart } from '#shared/domain/charts/alert-chart.ts';
import { chartToken } from '#shared/domain/charts/chart-token.ts';
import { type Instant, SECOND } from '#shared/domain/market/instant.ts';
import type { AlertRule } from '#shared/domain/rules/alert-rule.ts';

/** The addresses that a message of an alert has for a channel; undefined for the operators. */
export type MessageLinks = (
  alert: Alert,
  about: {
    readonly rule: AlertRule | undefined;
    readonly channel: string | undefined;
    /** The news of which it has the chart: an acknowledgement is shown beside others. */
    readonly pictured?: Alert | undefined;
  },
  signal: AbortSignal,
) => Promise<SignedLinks>;

type SignedLinks = {
  /** Of its chart; undefined for an alert without one, and where none can be signed. */
  readonly chart?: string | undefined;
  /** Of what can be done about its open episode; undefined where none is open, or can be signed. */
  readonly actions?: string | undefined;
};

type Signing = {
  readonly now: () => Instant;
  readonly sleepUntil: (instant: Instant, signal: AbortSignal) => Promise<void>;
  /** The key that addresses are signed with. */
  readonly readKey: () => Promise<string>;
  /** Addresses begin with it. */
  readonly publicUrl: string;
  /** Receives why a message goes without its links. */
  readonly onMissing: (error: unknown) => void;
};

/**
 * The longest wait of a message for the key, which is mostly remembered. 200 instances that start
 * together have read it by then.
 */
const KEY_TIMEOUT = 5 * SECOND;

/** Signs the addresses of a message. What they show is made when somebody asks for it. */
export function createMessageLinks(signing: Signing): MessageLinks {
  const { publicUrl } = signing;
  return async (alert, { rule, channel, pictured = alert }, signal) => {
    const picture = alertChart(pictured, rule);
    const hasActions = hasOpenEpisode(alert);
    if (picture === undefined && !hasActions) return {};
    const key = await keyInTime(signing, signal);
    if (key === undefined) return {};
    const chart = picture && chartToken(key, picture, Date.parse(pictured.at));
    const actions = hasActions ? actionToken(key, { ...alert, channel }) : undefined;
    return {
      chart: chart === undefined ? undefined : `${publicUrl}charts/${chart}.png`,
      actions: actions === undefined ? undefined : `${publicUrl}actions/${actions}`,
    };
  };
}

/** Signs the address that ends the emails of a channel; undefined where none can be signed now. */
export function createUnsubscribeLinks(signing: Signing) {
  return async (link: UnsubscribeLink, signal: AbortSignal): Promise<string | undefined> => {
    const key = await keyInTime(signing, signal);
    const token = key && unsubscribeToken(key, link, signing.now());
    return token && `${signing.publicUrl}subscriptions/${token}`;
  };
}

async function keyInTime(
  { readKey, now, sleepUntil, onMissing }: Signing,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    return await Promise.race([
      readKey(),
      sleepUntil(now() + KEY_TIMEOUT, signal).then(() => {
        throw new Error('its key was not read in time');
      }),
    ]);
  } catch (error) {
    onMissing(error);
    return undefined;
  }
}
