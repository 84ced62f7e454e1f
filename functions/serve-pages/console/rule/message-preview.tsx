import { useState } from 'preact/hooks';
import { KIND_GUIDES, type Kind } from '#console/channels/channel-kinds.ts';
import type { Answer } from '#console/interface/operations.ts';
import { moment } from '#console/words/times.ts';
import type { ListChannel } from './audience.tsx';
import { shownAs } from './messages.tsx';

type Message = NonNullable<
  Answer<'POST /v1/rules/preview'>['contracts'][number]['messages']
>[number];

type MessagePreviewProps = {
  readonly at: string;
  readonly messages: readonly Message[];
  readonly notified: readonly ListChannel[];
};

/** Shows the last message in the format of each kind of channel that would get it. */
export function MessagePreview({ at, messages, notified }: MessagePreviewProps) {
  const [chosen, setChosen] = useState<Kind>();
  const kinds = [...new Set(notified.map((channel) => channel.kind))];
  const kind = kinds.find((one) => one === chosen) ?? kinds[0];
  const message = messages.find((one) => one.kind === kind)?.message;
  if (kind === undefined || message === undefined) {
    return (
      <p class="quiet small">No channel would get this alert, so there is no message to show.</p>
    );
  }
  const readers = notified.filter((channel) => channel.kind === kind).map(({ id }) => id);
  return (
    <section class="stack" aria-label="The last message">
      <h3>The last message</h3>
      <fieldset class="choice wraps">
        <legend class="unseen">Kind of channel</legend>
        {kinds.map((one) => (
          <button
            type="button"
            key={one}
            aria-pressed={one === kind}
            onClick={() => setChosen(one)}
          >
            {KIND_GUIDES[one].name}
          </button>
        ))}
      </fieldset>
      <article class={`shown ${kind}`} aria-label={`Preview in ${KIND_GUIDES[kind].name}`}>
        {shownAs(kind, message)}
      </article>
      <p class="quiet small">
        This message would have been sent to {readers.join(', ')} on {moment(at)}. Real messages
        also have links and a chart.
      </p>
    </section>
  );
}
