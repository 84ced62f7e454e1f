import { type Actor, actorInWords } from '#shared/domain/access/actor.ts';
import type { Acknowledgement } from '#shared/domain/alerting/acknowledgement.ts';
import type { Alert } from '#shared/domain/alerting/alert.ts';
import { AlertAction, actionLabel, snoozeChoiceOf } from '#shared/domain/alerting/alert-action.ts';
import { endOfSnooze, snoozeInWords } from '#shared/domain/alerting/snooze-choice.ts';
import { LIMITS } from '#shared/domain/limits.ts';
import { durationInWords, formatDuration } from '#shared/domain/market/duration.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import { momentInWords } from '#shared/domain/market/local-time.ts';
import { html, type Markup } from '#shared/domain/markup.ts';
import { isOfContactPoints } from '#shared/domain/watchlists/contact-points.ts';
import { type Mute, muteEnd } from '#shared/domain/watchlists/mute.ts';
import type { EpisodeStatus } from './take-action.ts';
import type { ReadEmails } from './unsubscribe.ts';

type Open = Extract<EpisodeStatus, { kind: 'open' }>;

/** The consequences of pressing the button, in words. */
function promiseOf(action: AlertAction, { now }: Open, timeZone: string): string {
  const choice = snoozeChoiceOf(action);
  switch (choice) {
    case '1h':
    case '4h':
    case 'tomorrow': {
      const until = muteEnd(endOfSnooze(choice, now, timeZone), now) ?? now;
      return `Until ${momentInWords(until, timeZone)}, no alerts from this rule about this collection are sent to any channel of the watchlist. Then one summary of the held alerts is sent.`;
    }
    case 'until-recovered':
      return `Until this rule recovers on this collection, its reminders, escalations and worsening alerts are not sent to any channel of the watchlist. When it recovers, one summary of the held alerts is sent, if there are any, and then the recovery alert. The snooze ends after ${String(LIMITS.mute.days)} days at the latest.`;
    case undefined:
      return action === 'acknowledge'
        ? 'Everybody who uses this watchlist sees that you are taking care of this alert. Reminders stop until the rule recovers. Worsening and recovery alerts are still sent.'
        : 'One summary of the held alerts is sent. After that, new alerts are sent unless another mute holds them.';
  }
}

/** The result of pressing the button, in words. */
function deedOf(action: AlertAction): string {
  const choice = snoozeChoiceOf(action);
  if (choice !== undefined) return `Snoozed ${snoozeInWords(choice)}.`;
  return action === 'acknowledge'
    ? 'Acknowledged. No reminders are sent until the rule recovers.'
    : 'The snooze has ended. New alerts are sent unless another mute holds them.';
}

/** Actions that have no effect the second time, with the titles of their pages in that case. */
const DONE_BEFORE: Readonly<Partial<Record<AlertAction, string>>> = {
  acknowledge: 'Already acknowledged',
  'snooze-until-recovered': 'Already snoozed',
};

/** Actions that a page offers. A page offers `resume` only if there is something to undo. */
const OFFERED = AlertAction.options.filter((action) => action !== 'resume');

/** An alert, the token of its chart if it has one, and the time zone of its list. */
export type ShownAlert = {
  readonly alert: Alert;
  readonly chart: string | undefined;
  readonly timeZone: string;
};

/**
 * The page that a link opens: the state of the episode, the consequences of the action, and one
 * button. If the action was already taken, there is no button.
 */
export function askingPage(shown: ShownAlert, action: AlertAction, episode: Open, endsAt: Instant) {
  const others = OFFERED.filter((other) => other !== action && !isDone(other, episode));
  const left = isQuiet(episode) && action !== 'resume' ? [...others, 'resume' as const] : others;
  if (isDone(action, episode)) {
    const main = html`${statements(shown, episode)}
${about(shown)}
${choices('Other actions', left)}
${footnote(shown, endsAt)}`;
    return { title: DONE_BEFORE[action] ?? deedOf(action), main };
  }
  const main = html`${about(shown)}
${statements(shown, episode)}
<p>${promiseOf(action, episode, shown.timeZone)}</p>
<form method="post" action="?do=${action}">
<label for="name">Your name (optional; shown to others)</label>
<input id="name" name="name" maxlength="${String(LIMITS.text.personName)}" autocomplete="name">
<button>${actionLabel(action)}</button>
</form>
${choices('Other actions', left)}
${footnote(shown, endsAt)}`;
  return { title: `${actionLabel(action)}?`, main };
}

/** The page after an action: what was done, the current state, and a way to undo it. */
export function donePage(shown: ShownAlert, action: AlertAction, episode: Open, endsAt: Instant) {
  const main = html`<p role="status">${deedOf(action)}</p>
${statements(shown, episode)}
${about(shown)}
${choices('Next', isQuiet(episode) ? ['resume'] : [])}
${footnote(shown, endsAt)}`;
  return { title: 'Done', main };
}

/** The page for an episode that has ended. */
export function overPage(shown: ShownAlert) {
  const main = html`<p>The rule has recovered, or it was edited or removed. No action was taken, because none is needed.</p>
${about(shown)}`;
  return { title: 'The episode has ended', main };
}

/** The page shown if no snooze can be added, because the list has the maximum number of mutes. */
export function fullPage(shown: ShownAlert) {
  const main = html`${about(shown)}
<p>This watchlist has ${String(LIMITS.watchlist.mutes)} active mutes, which is the maximum. Nothing was changed. End a mute in the console, then open this link again.</p>`;
  return { title: 'Not snoozed', main };
}

export function unknownPage() {
  const main = html`<p>This link is not valid. Open the complete link from the message again.</p>`;
  return { title: 'Unknown link', main };
}

export function endedPage(days: number) {
  const main = html`<p>Links in a message work for ${String(days)} days. Use the links in a newer message, or open the console.</p>`;
  return { title: 'This link has expired', main };
}

/** The page that asks for confirmation to unsubscribe. */
export function subscriptionPage(emails: ReadEmails) {
  const main = html`<p>${inWords(emails)} are sent to ${emails.channel.to}, which has confirmed its subscription.</p>
<form method="post">
<button>Unsubscribe</button>
</form>
<p><small>Opening this page changes nothing.</small></p>`;
  return { title: 'Unsubscribe?', main };
}

export function unsubscribedPage(emails: ReadEmails) {
  const main = html`<p role="status">${inWords(emails)} are no longer sent to ${emails.channel.to}.</p>
<p>The owner of the watchlist can see that you unsubscribed. To subscribe this address again, the owner must first enter another address, then this one.</p>`;
  return { title: 'You are unsubscribed', main };
}

/** The page for an expired link, and for a channel that was removed or has another address. */
export function noEmailsPage() {
  const main = html`<p>This unsubscribe link is no longer valid. If you still get emails, use the unsubscribe link in the newest one.</p>`;
  return { title: 'Nothing to unsubscribe from', main };
}

function inWords({ list, channel }: ReadEmails): string {
  return isOfContactPoints(list)
    ? `Alerts for contact point ${channel.id} of ${list.tenant}`
    : `Alerts for channel ${channel.id} of watchlist ${list.id}`;
}

/**
 * The text of the message, its chart, and a link to the console. The URLs are relative, because the
 * page, the chart and the console have the same host.
 */
function about({ alert: { title, watchlist, contract }, chart }: ShownAlert): Markup {
  const picture =
    chart === undefined
      ? html``
      : html`<img src="../charts/${chart}.png" width="1600" height="840" alt="Chart: ${title}">`;
  const place = contract === null ? '' : `collections/${encodeURIComponent(contract)}`;
  return html`<blockquote>${title}<br><small>Watchlist ${watchlist}</small></blockquote>
${picture}
<p><a href="../../app#/${place}">Open in the console</a></p>`;
}

function isDone(action: AlertAction, { acknowledgement, snoozes }: Open): boolean {
  if (action === 'acknowledge') return acknowledgement !== undefined;
  return action === 'snooze-until-recovered' && snoozes.some(({ episodes }) => episodes);
}

function isQuiet({ snoozes, acknowledgement }: Open): boolean {
  return snoozes.length > 0 || acknowledgement?.silences === 'worsening';
}

function statements(
  { timeZone }: ShownAlert,
  { acknowledgement, snoozes, mute, now }: Open,
): Markup {
  const lines = [
    ...(acknowledgement === undefined ? [] : [acknowledgedLine(acknowledgement, now, timeZone)]),
    ...(acknowledgement?.silences === 'worsening'
      ? ['No worsening alerts are sent until the rule recovers.']
      : []),
    ...(mute === undefined ? [] : [mutedLine(mute, snoozes.at(-1)?.by, timeZone)]),
  ];
  const [only = 'Nobody has acknowledged this alert yet.'] = lines;
  return lines.length < 2
    ? html`<p>${only}</p>`
    : html`<ul>
${lines.map((line) => html`<li>${line}</li>`)}
</ul>`;
}

function acknowledgedLine({ at, by }: Acknowledgement, now: Instant, timeZone: string): string {
  const who = by === undefined ? '' : ` ${actorInWords(by)}`;
  const age = durationInWords(formatDuration(now - at), 1);
  return `Acknowledged${who} at ${momentInWords(at, timeZone)}, ${age} ago.`;
}

function mutedLine({ until, episodes }: Mute, by: Actor | undefined, timeZone: string): string {
  const who = by === undefined ? '' : `: snoozed ${actorInWords(by)}`;
  const moment = momentInWords(until, timeZone);
  return episodes === undefined
    ? `Nothing is sent until ${moment}${who}.`
    : `Nothing is sent until the rule recovers, or until ${moment} at the latest${who}.`;
}

function choices(heading: string, actions: readonly AlertAction[]): Markup {
  if (actions.length === 0) return html``;
  return html`<nav aria-labelledby="choices">
<strong id="choices">${heading}</strong>
<ul>
${actions.map((action) => html`<li><a href="?do=${action}">${actionLabel(action)}</a></li>`)}
</ul>
</nav>`;
}

function footnote({ timeZone }: ShownAlert, endsAt: Instant): Markup {
  return html`<p><small>Anyone with this link can use it until ${momentInWords(endsAt, timeZone)}. Opening it changes nothing.</small></p>`;
}
