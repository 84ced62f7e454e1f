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

/**
 * Creates the links of an alert's message for a channel; `channel` is undefined for the operators.
 */
export type MessageLinks = (
  alert: Alert,
  about: {
    readonly rule: AlertRule | undefined;
    readonly channel: string | undefined;
    /**
     * The alert whose chart is shown, if it is a different alert. For example, an acknowledgement
     * shows the chart of an earlier alert.
     */
    readonly charted?: Alert | undefined;
  },
  signal: AbortSignal,
) => Promise<SignedLinks>;

type SignedLinks = {
  /** The URL of the chart; undefined if the alert has no chart, or the URL cannot be signed. */
  readonly chart?: string | undefined;
  /**
   * The URL of the actions on the open episode; undefined if no episode is open, or the URL cannot
   * be signed.
   */
  readonly actions?: string | undefined;
};

type Signing = {
  readonly now: () => Instant;
  readonly sleepUntil: (instant: Instant, signal: AbortSignal) => Promise<void>;
  /** Reads the signing key. */
  readonly readKey: () => Promise<string>;
  /** The prefix of all URLs. */
  readonly publicUrl: string;
  /** Called with the reason why a message has no links. */
  readonly onMissing: (error: unknown) => void;
};

/**
 * The maximum time that a message waits for the key, which is usually cached. This time suffices
 * for 200 instances that start together and read the key.
 */
const KEY_TIMEOUT = 5 * SECOND;

/** Creates the links of a message. The linked content is generated on request. */
export function createMessageLinks(signing: Signing): MessageLinks {
  const { publicUrl } = signing;
  return async (alert, { rule, channel, charted = alert }, signal) => {
    const picture = alertChart(charted, rule);
    const hasActions = hasOpenEpisode(alert);
    if (picture === undefined && !hasActions) return {};
    const key = await keyInTime(signing, signal);
    if (key === undefined) return {};
    const chart = picture && chartToken(key, picture, Date.parse(charted.at));
    const actions = hasActions ? actionToken(key, { ...alert, channel }) : undefined;
    return {
      chart: chart === undefined ? undefined : `${publicUrl}charts/${chart}.png`,
      actions: actions === undefined ? undefined : `${publicUrl}actions/${actions}`,
    };
  };
}

/** Creates the unsubscribe link of a channel; undefined if it cannot be signed at the moment. */
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
        throw new Error('the signing key for links was not read in time');
      }),
    ]);
  } catch (error) {
    onMissing(error);
    return undefined;
  }
}
