import * as z from 'zod';
import { DAY, type Instant } from '#shared/domain/market/instant.ts';
import { type OpenedToken, openToken, signToken } from '#shared/domain/signed-token.ts';
import type { Alert, AlertKey } from './alert.ts';
import { SNOOZE_CHOICES, SNOOZE_WORDS, type SnoozeChoice } from './snooze-choice.ts';

/**
 * The actions that a reader can take on the open episode of an alert. The link of an action has its
 * name in the query.
 */
export const AlertAction = z.enum([
  'acknowledge',
  ...SNOOZE_CHOICES.map((choice) => `snooze-${choice}` as const),
  'resume',
]);
export type AlertAction = z.output<typeof AlertAction>;

/** The choice of a snooze action; undefined for other actions. */
export function snoozeChoiceOf(action: AlertAction): SnoozeChoice | undefined {
  return SNOOZE_CHOICES.find((choice) => action === `snooze-${choice}`);
}

/** The label of an action, on links and buttons. */
export function actionLabel(action: AlertAction): string {
  const choice = snoozeChoiceOf(action);
  if (choice !== undefined) return `Snooze ${SNOOZE_WORDS[choice]}`;
  return action === 'acknowledge' ? 'Acknowledge' : 'Resume all alerts';
}

/**
 * The actions with links in each message, where space is limited. The linked page offers all
 * actions.
 */
export const LINKED_ACTIONS = [
  'acknowledge',
  'snooze-1h',
  'snooze-4h',
  'snooze-until-recovered',
] as const satisfies readonly AlertAction[];

/**
 * How long the links in a message are valid: long enough for a long weekend. After that, a
 * forwarded message grants no access. If an episode lasts longer, its reminders have new links.
 */
export const LINKS_WORK_FOR = 7 * DAY;

/** An alert, and the channel whose message has the link; undefined for the operators' channels. */
export type LinkedAlert = AlertKey & { readonly channel: string | undefined };

/** Whether an alert has an open episode to act on. A missing first value is not an episode. */
export function hasOpenEpisode({ open, rule, contract, episode }: Alert): boolean {
  return open === true && rule !== null && contract !== null && (episode ?? 0) > 0;
}

/**
 * A token in a URL that allows acting on the episode of the alert, and on no other. Undefined if it
 * would be too long.
 */
export function actionToken(secret: string, linked: LinkedAlert): string | undefined {
  const { tenant, watchlist, at, id, channel = null } = linked;
  const written = [tenant, watchlist, at, id, channel];
  return signToken(secret, 'action', written, Date.parse(at) + LINKS_WORK_FOR);
}

/**
 * The links of a message to the actions that are still useful: an acknowledged episode needs no
 * link to acknowledge it.
 */
export function actionLinks({
  actions,
  isAcknowledged = false,
}: {
  readonly actions?: string | undefined;
  readonly isAcknowledged?: boolean | undefined;
}) {
  if (actions === undefined) return [];
  const left = LINKED_ACTIONS.filter((action) => action !== 'acknowledge' || !isAcknowledged);
  return left.map((action) => ({ action, url: `${actions}?do=${action}` }));
}

/** Verifies and reads an action token. */
export function openActionToken(
  secret: string,
  token: string,
  now: Instant,
): OpenedToken<LinkedAlert> {
  return openToken(secret, 'action', token, SignedAlert, now);
}

const SignedAlert = z.lazy(() =>
  z
    .tuple([z.string(), z.string(), z.string(), z.string(), z.string().nullable()])
    .transform(([tenant, watchlist, at, id, channel]): LinkedAlert => {
      return { tenant, watchlist, at, id, channel: channel ?? undefined };
    }),
);
