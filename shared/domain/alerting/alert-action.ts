import * as z from 'zod';
import { DAY, type Instant } from '#shared/domain/market/instant.ts';
import { type OpenedToken, openToken, signToken } from '#shared/domain/signed-token.ts';
import type { Alert, AlertKey } from './alert.ts';
import { SNOOZE_CHOICES, SNOOZE_WORDS, type SnoozeChoice } from './snooze-choice.ts';

/** What a reader can do about the open episode of an alert, as the query of its link says it. */
export const AlertAction = z.enum([
  'acknowledge',
  ...SNOOZE_CHOICES.map((choice) => `snooze-${choice}` as const),
  'resume',
]);
export type AlertAction = z.output<typeof AlertAction>;

/** The choice of an action that snoozes; undefined for another action. */
export function snoozeChoiceOf(action: AlertAction): SnoozeChoice | undefined {
  return SNOOZE_CHOICES.find((choice) => action === `snooze-${choice}`);
}

/** The label of an action, on links and buttons. */
export function actionLabel(action: AlertAction): string {
  const choice = snoozeChoiceOf(action);
  if (choice !== undefined) return `Snooze ${SNOOZE_WORDS[choice]}`;
  return action === 'acknowledge' ? 'Acknowledge' : 'Send everything again';
}

/** The actions with links in each message, which has little room. The page of a link offers all. */
export const LINKED_ACTIONS = [
  'acknowledge',
  'snooze-1h',
  'snooze-4h',
  'snooze-until-recovered',
] as const satisfies readonly AlertAction[];

/**
 * How long the links of a message work: over a long weekend. An episode that lasts longer has
 * reminders, with links of their own; an old message that is passed on gives no right.
 */
export const LINKS_WORK_FOR = 7 * DAY;

/** An alert, and the channel whose message has the link; undefined for the operators'. */
export type LinkedAlert = AlertKey & { readonly channel: string | undefined };

/** Whether there is something to do about what an alert reports; a first value that is missing is no episode. */
export function hasOpenEpisode({ open, rule, contract, episode }: Alert): boolean {
  return open === true && rule !== null && contract !== null && (episode ?? 0) > 0;
}

/**
 * The right to act on the episode of an alert, as part of an address. It is of that episode alone:
 * the alert names it. Undefined where it would be too long.
 */
export function actionToken(secret: string, linked: LinkedAlert): string | undefined {
  const { tenant, watchlist, at, id, channel = null } = linked;
  const written = [tenant, watchlist, at, id, channel];
  return signToken(secret, 'action', written, Date.parse(at) + LINKS_WORK_FOR);
}

/** The links of a message to each action that is left to do, where it has any. */
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

/** Reads the right to act that this stack has signed. */
export function openActionToken(
  secret: string,
  token: string,
  now: Instant,
): OpenedToken<LinkedAlert> {
  return openToken(secret, 'action', token, SignedAlert, now);
}

const SignedAlert = z
  .tuple([z.string(), z.string(), z.string(), z.string(), z.string().nullable()])
  .transform(([tenant, watchlist, at, id, channel]): LinkedAlert => {
    return { tenant, watchlist, at, id, channel: channel ?? undefined };
  });
