import { useState } from 'preact/hooks';
import { useFollowed } from '#console/interface/follow.ts';
import type { Answer } from '#console/interface/operations.ts';
import { announce } from '#console/shell/announcements.tsx';
import { Title } from '#console/shell/title.tsx';
import { Loading } from '#console/words/loading.tsx';
import { ProblemNotice } from '#console/words/problem-notice.tsx';
import { ChannelCard } from './channel-card.tsx';
import { ChannelForm } from './channel-form.tsx';
import { channelsOf } from './channel-requests.ts';
import { NotifyDevice } from './notify-device.tsx';
import { OwnChannels } from './own-channels.tsx';

type List = Answer<'GET /v1/watchlists'>['watchlists'][number];

/** The page of channels: the destinations of alerts, and whether they work. */
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
      <section class="stack" aria-label="Channels for all lists">
        <h2 class="unseen">Channels for all lists</h2>
        {channels.length === 0 && !isAdding && (
          <p class="panel empty">
            Alerts are sent to channels, such as a chat, an email address or a server. Every list
            can use the channels that you add here.
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
