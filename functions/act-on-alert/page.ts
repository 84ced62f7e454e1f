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
import { endOf, type Mute } from '#shared/domain/watchlists/mute.ts';
import type { Standing } from './take-action.ts';
import type { ReadEmails } from './unsubscribe.ts';

type Open = Extract<Standing, { kind: 'open' }>;

/** The consequences of a press. */
function promiseOf(action: AlertAction, { now }: Open, timeZone: string): string {
  const choice = snoozeChoiceOf(action);
  switch (choice) {
    case '1h':
    case '4h':
    case 'tomorrow': {
      const until = endOf(endOfSnooze(choice, now, timeZone), now) ?? now;
      return `Until ${momentInWords(until, timeZone)} no alerts of this rule on this collection are sent to any channel of the watchlist. Then one summary says what happened.`;
    }
    case 'until-recovered':
      return `Until it recovers, no channel of the watchlist gets a reminder, an escalation or an alert that it gets worse. The recovery is sent, after one summary if something was held back, and so is the next time that it fires. The snooze ends after ${String(LIMITS.mute.days)} days at the latest.`;
    case undefined:
      return action === 'acknowledge'
        ? 'Everybody on this watchlist sees that somebody takes care of it. Reminders stop until it recovers. Alerts that it gets worse or has recovered are still sent.'
        : 'One summary of the alerts that the snooze held back is sent. After that every alert is sent again.';
  }
}

/** What happened when a button was pressed. */
function deedOf(action: AlertAction): string {
  const choice = snoozeChoiceOf(action);
  if (choice !== undefined) return `It is snoozed ${snoozeInWords(choice)}.`;
  return action === 'acknowledge'
    ? 'It is acknowledged. Reminders have stopped until it recovers.'
    : 'Everything is sent again.';
}

/** The actions that a second press would only repeat, and what their page says instead. */
const DONE_BEFORE: Readonly<Partial<Record<AlertAction, string>>> = {
  acknowledge: 'Already acknowledged',
  'snooze-until-recovered': 'Already snoozed',
};

/** The actions that a page offers, beside the way back. */
const OFFERED = AlertAction.options.filter((action) => action !== 'resume');

/** An alert, the token of its chart if it has one, and the time zone of its list. */
export type ShownAlert = {
  readonly alert: Alert;
  readonly chart: string | undefined;
  readonly timeZone: string;
};

/** What a link will do, the state of the episode, and one button; no button if it is done already. */
export function askingPage(
  shown: ShownAlert,
  action: AlertAction,
  standing: Open,
  endsAt: Instant,
) {
  const others = OFFERED.filter((other) => other !== action && !isDone(other, standing));
  const left = isQuiet(standing) && action !== 'resume' ? [...others, 'resume' as const] : others;
  if (isDone(action, standing)) {
    const main = html`${statements(shown, standing)}
${about(shown)}
${choices('Instead', left)}
${footnote(shown, endsAt)}`;
    return { title: DONE_BEFORE[action] ?? deedOf(action), main };
  }
  const main = html`${about(shown)}
${statements(shown, standing)}
<p>${promiseOf(action, standing, shown.timeZone)}</p>
<form method="post" action="?do=${action}">
<label for="name">Your name (optional), for the others</label>
<input id="name" name="name" maxlength="${String(LIMITS.text.personName)}" autocomplete="name">
<button>${actionLabel(action)}</button>
</form>
${choices('Or instead', left)}
${footnote(shown, endsAt)}`;
  return { title: `${actionLabel(action)}?`, main };
}

/** What was done, how it stands now, and the way back. */
export function donePage(shown: ShownAlert, action: AlertAction, standing: Open, endsAt: Instant) {
  const main = html`<p role="status">${deedOf(action)}</p>
${statements(shown, standing)}
${about(shown)}
${choices('Next', isQuiet(standing) ? ['resume'] : [])}
${footnote(shown, endsAt)}`;
  return { title: 'Done', main };
}

/** The episode has ended meanwhile. */
export function overPage(shown: ShownAlert) {
  const main = html`<p>It has recovered in the meantime, or its rule was changed or removed. Nothing was changed, and there is nothing left to do.</p>
${about(shown)}`;
  return { title: 'It is over', main };
}

/** The list has as many mutes as it may have. */
export function fullPage(shown: ShownAlert) {
  const main = html`${about(shown)}
<p>This watchlist has ${String(LIMITS.watchlist.mutes)} running mutes, which is the maximum. Nothing was changed. Lift one of them first.</p>`;
  return { title: 'Not snoozed', main };
}

export function unknownPage() {
  const main = html`<p>floorwatch has not sent this address. Open the whole link from the message again.</p>`;
  return { title: 'There is no such link', main };
}

export function endedPage(days: number) {
  const main = html`<p>The links of a message work for ${String(days)} days. A newer message has links of its own.</p>`;
  return { title: 'This link has expired', main };
}

/** Whether emails are to end. */
export function subscriptionPage(emails: ReadEmails) {
  const main = html`<p>${inWords(emails)} are sent to ${emails.channel.to}, which agreed to get them.</p>
<form method="post">
<button>Unsubscribe</button>
</form>
<p><small>Opening this page changes nothing.</small></p>`;
  return { title: 'Unsubscribe?', main };
}

export function unsubscribedPage(emails: ReadEmails) {
  const main = html`<p role="status">${inWords(emails)} are no longer sent to ${emails.channel.to}.</p>
<p>The owner of the watchlist sees that. A new request can reach you only after the owner has entered another address first.</p>`;
  return { title: 'You are unsubscribed', main };
}

/** The link has ended, or its channel has another address, or none. */
export function noEmailsPage() {
  const main = html`<p>The emails that this link belongs to are no longer sent. A newer email has a link of its own.</p>`;
  return { title: 'Nothing to unsubscribe from', main };
}

function inWords({ list, channel }: ReadEmails): string {
  return isOfContactPoints(list)
    ? `Alerts for ${channel.id} of ${list.tenant}`
    : `Alerts for ${channel.id} of watchlist ${list.id}`;
}

/**
 * What the message said, its chart, and the way to the console. Their addresses are relative: all
 * three are of one stack, at whatever address a browser reaches it.
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
      ? ['Alerts that it gets worse have stopped.']
      : []),
    ...(mute === undefined ? [] : [mutedLine(mute, snoozes.at(-1)?.by, timeZone)]),
  ];
  const [only = 'Nobody has acknowledged it yet.'] = lines;
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
    : `Nothing is sent until it recovers, until ${moment} at the latest${who}.`;
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
  return html`<p><small>This page works until ${momentInWords(endsAt, timeZone)}, for whoever has its address. Opening it changes nothing.</small></p>`;
}
