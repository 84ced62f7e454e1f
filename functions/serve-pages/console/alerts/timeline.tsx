import { amount, count } from '#console/words/amounts.ts';
import { byWhom } from '#console/words/by-whom.ts';
import { mutedUntil } from '#console/words/snoozes.ts';
import { moment } from '#console/words/times.ts';
import { DeliveriesInShort } from './deliveries.tsx';
import { type Episode, newestOf } from './episode.ts';

type Alert = Episode['timeline'][number];

/** The events of an episode, newest first: its alerts, its acknowledgement and its mutes. */
export function Timeline({ episode }: { readonly episode: Episode }) {
  const events = eventsOf(episode);
  const [newest, older] = [events.slice(0, SHOWN), events.slice(SHOWN)];
  return (
    <>
      <Events events={newest} label="Timeline" />
      {older.length > 0 && (
        <details>
          <summary>{count(older.length, 'earlier event')}</summary>
          <Events events={older} label="Earlier events" />
        </details>
      )}
      {!episode.complete && (
        <p class="quiet small">Only the first alerts of this episode are shown.</p>
      )}
    </>
  );
}

/** Number of events shown at first. An episode with reminders may have many more. */
const SHOWN = 5;

type Event = {
  readonly key: string;
  readonly at: string;
  readonly look: string;
  readonly words: string;
  readonly more: string | undefined;
  readonly alert: Alert | undefined;
};

function Events({ events, label }: { readonly events: readonly Event[]; readonly label: string }) {
  return (
    <ol class="timeline" aria-label={label}>
      {events.map(({ key, at, look, words, more, alert }) => (
        <li key={key} class={look}>
          <time class="quiet small" dateTime={at}>
            {moment(at)}
          </time>
          <span>
            <strong>{words}</strong>
            {more !== undefined && <span class="quiet"> {more}</span>}
            {alert !== undefined && <DeliveriesInShort deliveries={alert.deliveries} />}
          </span>
        </li>
      ))}
    </ol>
  );
}

function eventsOf(episode: Episode): readonly Event[] {
  const { timeline, acknowledged, mutes, unit } = episode;
  const newest = newestOf(episode);
  // Show the acknowledgement instead of its alert, because the alert has fewer details.
  const shownAlerts = timeline.filter(
    ({ kind }) => kind !== 'acknowledged' || acknowledged === null,
  );
  const alerts = shownAlerts.map((alert): Event => {
    const { words, look } = KINDS[alert.kind];
    const value =
      alert.value === null || unit === null ? undefined : valueInWords(alert.value, unit);
    // Omit the deliveries of the newest alert, because they are listed below the timeline.
    const shown = alert === newest ? undefined : alert;
    return { key: alert.alert, at: alert.at, look, words, more: value, alert: shown };
  });
  const note = acknowledged?.note == null ? '' : `: “${acknowledged.note}”`;
  const known: readonly Event[] =
    acknowledged === null
      ? []
      : [
          {
            ...{ key: 'acknowledged', at: acknowledged.at, look: 'acknowledged' },
            ...{ words: 'Acknowledged', alert: undefined },
            more: `${acknowledged.by === null ? '' : byWhom(acknowledged.by)}${note}`,
          },
        ];
  const held = mutes.map(({ id, from, until, untilRecovered, by, reason }): Event => {
    const because = reason === null ? '' : `: “${reason}”`;
    return {
      ...{ key: id, at: from, look: 'muted', words: 'Muted', alert: undefined },
      more: `${mutedUntil(until, untilRecovered)}${by === null ? '' : ` ${byWhom(by)}`}${because}`,
    };
  });
  return [...alerts, ...known, ...held].toSorted((one, other) => (one.at < other.at ? 1 : -1));
}

/** The value of a no-data watch is the age of the newest price. */
function valueInWords(value: string, unit: string): string {
  const words = amount(value, unit);
  return unit === 'minutes' ? `(newest price: ${words} old)` : `at ${words}`;
}

const KINDS: Readonly<Record<Alert['kind'], { readonly words: string; readonly look: string }>> = {
  fired: { words: 'Fired', look: 'firing' },
  worsened: { words: 'Worsened', look: 'firing' },
  reminder: { words: 'Reminder', look: '' },
  recovered: { words: 'Resolved', look: 'ok' },
  closed: { words: 'Closed before recovery', look: 'ok' },
  expired: { words: 'Expired', look: 'ok' },
  stale: { words: 'No data', look: 'firing' },
  fresh: { words: 'Data received again', look: 'ok' },
  acknowledged: { words: 'Acknowledged', look: 'acknowledged' },
  escalated: { words: 'Escalated: not acknowledged', look: 'firing' },
  summary: { words: 'Summary of held alerts', look: 'muted' },
  channel_off: { words: 'Channel turned off', look: 'firing' },
  test: { words: 'Test', look: '' },
  members: { words: 'The list’s collections changed', look: '' },
  report: { words: 'List report', look: '' },
};
