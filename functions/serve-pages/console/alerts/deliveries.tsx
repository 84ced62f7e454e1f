import { delay } from '#console/words/times.ts';
import type { Episode } from './episode.ts';

type Deliveries = Episode['timeline'][number]['deliveries'];

const STATES = {
  pending: { look: '', mark: '…', word: 'pending' },
  accepted: { look: 'ok', mark: '✓', word: 'accepted' },
  sent: { look: 'ok', mark: '✓', word: 'delivered' },
  skipped: { look: '', mark: '–', word: 'skipped' },
  failed: { look: 'failed', mark: '✕', word: 'failed' },
} as const;

/**
 * Lists the channels of an alert. Each shows the time from price to message, or the reason why the
 * alert was not sent.
 */
export function DeliveryTicks({ deliveries }: { readonly deliveries: Deliveries }) {
  const all = Object.entries(deliveries);
  if (all.length === 0) return <p class="quiet small">Not sent: no channel gets this alert.</p>;
  return (
    <ul class="row deliveries" aria-label="Deliveries">
      {all.map(([channel, { state, reason, seconds }]) => {
        const { look, mark, word } = STATES[state];
        return (
          <li key={channel} class={`delivery ${look}`}>
            <span aria-hidden="true">{mark}</span> {channel}
            <span class="unseen"> {word}</span>
            {seconds !== null && (
              <span
                class="quiet"
                title="Time from the poll to the message, not counting mutes and quiet hours"
              >
                <span class="unseen"> after</span> {delay(seconds)}
              </span>
            )}
            {reason !== null && `: ${reason}`}
          </li>
        );
      })}
    </ul>
  );
}

/**
 * Summarizes the deliveries of an alert: the number of channels that received it, the longest
 * delay, and the names of channels whose delivery is pending or failed.
 */
export function DeliveriesInShort({ deliveries }: { readonly deliveries: Deliveries }) {
  const all = Object.entries(deliveries);
  const [failed, waiting] = (['failed', 'pending'] as const).map((wanted) =>
    all.flatMap(([channel, { state }]) => (state === wanted ? [channel] : [])),
  );
  const got = all.filter(([, { state }]) => state === 'sent' || state === 'accepted').length;
  const slowest = Math.max(...all.map(([, { seconds }]) => seconds ?? 0));
  return (
    <span class="small deliveries-in-short">
      {got > 0 && (
        <>
          <span class="ok">✓ {got}</span>
          <span
            class="quiet delay"
            title="Longest time from the poll to a message, not counting mutes and quiet hours"
          >
            {' '}
            in {delay(slowest)}
          </span>
        </>
      )}
      {waiting?.length ? <span class="quiet">… {waiting.join(', ')}</span> : null}
      {failed?.length ? <span class="failed">✕ {failed.join(', ')}</span> : null}
    </span>
  );
}
