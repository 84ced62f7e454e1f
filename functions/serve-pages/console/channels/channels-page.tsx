import { useState } from 'preact/hooks';
import { useFollowed } from '#console/interface/follow.ts';
import type { Answer } from '#console/interface/operations.ts';
import { announce } from '#console/shell/announcements.tsx';
import { Title } from '#console/shell/title.tsx';
import { Loading } from '#console/words/loading.tsx';
import { ProblemNotice } from '#console/words/problem-notice.tsx';
import { ChannelCard } from './channel-card.tsx';
import { ChannelForm } from './channel-form.tsx';
import { channelsOf } from './channels-of.ts';
import { NotifyDevice } from './notify-device.tsx';
import { OwnChannels } from './own-channels.tsx';

type List = Answer<'GET /v1/watchlists'>['watchlists'][number];

/** Where alerts go, and whether they arrive. */
export function ChannelsPage() {
  const { answer, problem } = useFollowed('GET /v1/channels');
  const { answer: known } = useFollowed('GET /v1/watchlists', { query: { limit: '100' } });
  const [isAdding, setAdding] = useState(false);
  if (answer === undefined) return problem ? <ProblemNotice problem={problem} /> : <Loading />;
  const { channels } = answer;
  const lists = known?.watchlists ?? [];
  return (
    <>
      <Title of="Channels" />
      <div class="row spread">
        <h1>Channels</h1>
        {!isAdding && (
          <button type="button" class="primary" onClick={() => setAdding(true)}>
            Add a channel
          </button>
        )}
      </div>
      {isAdding && (
        <ChannelForm
          channels={channelsOf(undefined)}
          onClose={(said) => {
            setAdding(false);
            if (said !== undefined) announce(said);
          }}
        />
      )}
      <NotifyDevice channels={channelsOf(undefined)} known={channels} />
      <section class="stack" aria-label="Channels of all lists">
        <h2 class="unseen">Of all lists</h2>
        {channels.length === 0 && !isAdding && (
          <p class="panel empty">
            A channel is where alerts go: a chat, an address or a server. Add it here once, and each
            list can use it.
          </p>
        )}
        <ul class="cards">
          {channels.map((channel) => (
            <ChannelCard
              key={channel.id}
              channel={channel}
              users={usedBy(lists.filter((list) => list.channels.includes(channel.id)))}
            />
          ))}
        </ul>
      </section>
      {lists.filter(hasOwn).map((list) => (
        <OwnChannels key={list.id} list={list} title={`Only for “${list.name}”`} warns />
      ))}
    </>
  );
}

function hasOwn({ channels }: List): boolean {
  return channels.some((channel) => typeof channel !== 'string');
}

function usedBy(lists: readonly List[]): string {
  if (lists.length === 0) return 'No list uses it yet.';
  return `Used by ${lists.map(({ name }) => `“${name}”`).join(', ')}.`;
}
