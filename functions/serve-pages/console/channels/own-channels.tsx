import { useState } from 'preact/hooks';
import { useFollowed } from '#console/interface/follow.ts';
import type { Answer } from '#console/interface/operations.ts';
import { announce } from '#console/shell/announcements.tsx';
import { Loading } from '#console/words/loading.tsx';
import { ProblemNotice } from '#console/words/problem-notice.tsx';
import { ChannelCard } from './channel-card.tsx';
import { ChannelForm } from './channel-form.tsx';
import { channelsOf } from './channel-requests.ts';
import { NotifyDevice } from './notify-device.tsx';

type List = Answer<'GET /v1/watchlists'>['watchlists'][number];

type OwnChannelsProps = {
  readonly list: Pick<List, 'id' | 'name' | 'channels'>;
  readonly title: string;
  /** Whether to warn if no channel of the list works. */
  readonly warns: boolean;
};

/**
 * The channels that belong to one list. They are part of its document, and no other list uses them.
 */
export function OwnChannels({ list, title, warns }: OwnChannelsProps) {
  const { id: watchlist, name, channels } = list;
  const { answer, problem } = useFollowed('GET /v1/watchlists/{watchlist}/channels', {
    path: { watchlist },
  });
  const [isAdding, setAdding] = useState(false);
  const own = answer?.channels.filter(({ id }) => !channels.includes(id)) ?? [];
  return (
    <section class="stack" aria-label={`Channels for ${name} only`}>
      <div class="row spread">
        <h2>{title}</h2>
        {!isAdding && (
          <button type="button" onClick={() => setAdding(true)}>
            Add to this list only
          </button>
        )}
      </div>
      {isAdding && (
        <ChannelForm
          channels={channelsOf(watchlist)}
          onClose={(said) => {
            setAdding(false);
            if (said !== undefined) announce(said);
          }}
        />
      )}
      {answer !== undefined && !warns && (
        <NotifyDevice channels={channelsOf(watchlist)} known={answer.channels} />
      )}
      <ProblemNotice problem={problem} />
      {warns && answer?.undeliverable && (
        <p class="notice bad">None of this list’s channels works, so nobody gets its alerts.</p>
      )}
      {answer === undefined && problem === undefined && <Loading />}
      {answer !== undefined && own.length === 0 && !isAdding && (
        <p class="quiet small">
          This list has no channels of its own. Add channels for several lists under “Channels”.
        </p>
      )}
      <ul class="cards">
        {own.map((channel) => (
          <ChannelCard key={channel.id} channel={channel} watchlist={watchlist} />
        ))}
      </ul>
    </section>
  );
}
