import { useState } from 'preact/hooks';
import { announce } from '#console/shell/announcements.tsx';
import { Ago } from '#console/words/ago.tsx';
import { count } from '#console/words/amounts.ts';
import { ProblemNotice } from '#console/words/problem-notice.tsx';
import type { Problem } from '#shared/http/answer-shapes.ts';
import { ChannelForm } from './channel-form.tsx';
import { type Channel, fieldsOf, KIND_GUIDES } from './channel-kinds.ts';
import {
  channelBody,
  channelsOf,
  type ReadChannel,
  readChannel,
  removeChannel,
} from './channel-requests.ts';
import { ChannelTest } from './channel-test.tsx';
import { ConfirmEmail } from './confirm-email.tsx';

type Word = { readonly word: string; readonly look: string; readonly todo?: string };

/** The label of each channel state, and instructions to get a broken channel working again. */
const STATES: Readonly<Record<Channel['state'], Word>> = {
  working: { word: 'Working', look: 'ok' },
  pending: { word: 'Not confirmed', look: 'pending' },
  failing: {
    word: 'Failing',
    look: 'warning',
    todo: 'Waiting alerts are retried for a day. To retry them now, send a test.',
  },
  off: {
    word: 'Off',
    look: 'failed',
    todo: 'This channel gets no alerts. Change its address, or send a test. A successful test turns the channel on again.',
  },
  gone: {
    word: 'Gone',
    look: 'failed',
    todo: 'This channel gets no alerts. Change its address, or add the channel again under another name.',
  },
};

/**
 * Shows the state of a channel with its reason, the time of the last delivery, and the number of
 * waiting alerts.
 */
function ChannelHealth({ channel }: { readonly channel: Channel }) {
  const { id, kind, state, reason, since, lastSuccess, waiting } = channel;
  const { word, look, todo } = STATES[state];
  return (
    <>
      <div class="row spread">
        <h3>
          {id} <span class="quiet">{KIND_GUIDES[kind].name}</span>
        </h3>
        <span class={`state ${look}`}>{word}</span>
      </div>
      <p class="small">{placeOf(channel)}</p>
      <p class="small quiet">
        {lastSuccess === null ? (
          'Nothing delivered yet'
        ) : (
          <>
            Last delivered <Ago at={lastSuccess} />
          </>
        )}
        {waiting > 0 && ` · ${waitingInWords(waiting)}`}
      </p>
      {reason !== null && (
        <p class="small">
          {reason}
          {since !== null && (
            <span class="quiet">
              {' '}
              · first failed <Ago at={since} />
            </span>
          )}
        </p>
      )}
      {todo !== undefined && <p class="small">{todo}</p>}
    </>
  );
}

/** The API stops counting waiting alerts at 100. */
function waitingInWords(waiting: number): string {
  return waiting === 100 ? '100 or more alerts waiting' : `${count(waiting, 'alert')} waiting`;
}

/** The address of a channel, without its secrets. */
function placeOf(channel: Channel): string {
  const members = new Map<string, unknown>(Object.entries(channelBody(channel)));
  const shown = fieldsOf(channel.kind).flatMap(([member, { form, label }]) => {
    if (form === 'text') return members.has(member) ? [String(members.get(member))] : [];
    return form === 'secret' || form === 'secrets' ? [`${label} saved`] : [];
  });
  return shown.join(' · ');
}

type ChannelCardProps = {
  readonly channel: Channel;
  /** The list that owns the channel. Undefined for a shared channel. */
  readonly watchlist?: string;
  /** A sentence about the lists that use the channel. */
  readonly users?: string;
};

/** A channel with its state, its users and its actions. */
export function ChannelCard({ channel, watchlist, users }: ChannelCardProps) {
  const { id, kind, state } = channel;
  const channels = channelsOf(watchlist);
  const [read, setRead] = useState<ReadChannel>();
  const [isLeaving, setLeaving] = useState(false);
  const [problem, setProblem] = useState<Problem>();

  const edit = async () => {
    const found = await readChannel(channels, id);
    if (found === undefined) announce('The channel could not be loaded. Try again later.');
    else setRead(found);
  };
  const remove = async () => {
    setLeaving(false);
    const refused = await removeChannel(channels, id);
    setProblem(refused);
    if (refused === undefined) announce(`The channel “${id}” was removed.`);
  };

  if (read !== undefined) {
    return (
      <li class="wide">
        <ChannelForm
          channels={channels}
          read={read}
          onClose={(said) => {
            setRead(undefined);
            if (said !== undefined) announce(said);
          }}
        />
      </li>
    );
  }
  return (
    <li class="panel stack channel">
      <ChannelHealth channel={channel} />
      {users !== undefined && <p class="small quiet">{users}</p>}
      {kind === 'email' && state === 'pending' && <ConfirmEmail channels={channels} channel={id} />}
      <ProblemNotice problem={problem} />
      <div class="row actions">
        <ChannelTest channel={id} watchlist={watchlist} />
        <button type="button" onClick={() => void edit()}>
          Edit
        </button>
        {isLeaving ? (
          <>
            <button type="button" class="danger" onClick={() => void remove()}>
              Yes, remove {id}
            </button>
            <button type="button" onClick={() => setLeaving(false)}>
              Keep it
            </button>
          </>
        ) : (
          <button type="button" onClick={() => setLeaving(true)}>
            Remove
          </button>
        )}
      </div>
    </li>
  );
}
