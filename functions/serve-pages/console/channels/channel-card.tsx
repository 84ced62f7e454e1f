import { useState } from 'preact/hooks';
import { announce } from '#console/shell/announcements.tsx';
import { Ago } from '#console/words/ago.tsx';
import { ProblemNotice } from '#console/words/problem-notice.tsx';
import type { Problem } from '#shared/http/answer-shapes.ts';
import { ChannelForm } from './channel-form.tsx';
import { type Channel, fieldsOf, KIND_GUIDES } from './channel-kinds.ts';
import { ChannelTest } from './channel-test.tsx';
import {
  channelsOf,
  type ReadChannel,
  readChannel,
  removeChannel,
  writtenOf,
} from './channels-of.ts';
import { ConfirmEmail } from './confirm-email.tsx';

type Word = { readonly word: string; readonly look: string; readonly todo?: string };

/** How a channel does, and what brings it back. */
const STATES: Readonly<Record<Channel['state'], Word>> = {
  working: { word: 'Working', look: 'ok' },
  pending: { word: 'Not confirmed', look: 'pending' },
  failing: {
    word: 'Failing',
    look: 'warning',
    todo: 'Its alerts wait, and are tried again for a day. A test tries at once.',
  },
  off: {
    word: 'Off',
    look: 'failed',
    todo: 'Nothing is sent to it. Change where it leads, or send a test: one that arrives turns it on again.',
  },
  gone: {
    word: 'Gone',
    look: 'failed',
    todo: 'Nothing is sent to it. Add it anew under another name, or change where it leads.',
  },
};

/** How a channel does: its state, why, when it last took an alert, and what waits. */
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
        {waiting > 0 && ` · ${waiting === 100 ? '100 or more wait' : `${waiting} waiting`}`}
      </p>
      {reason !== null && (
        <p class="small">
          {reason}
          {since !== null && (
            <span class="quiet">
              {' '}
              · first <Ago at={since} />
            </span>
          )}
        </p>
      )}
      {todo !== undefined && <p class="small">{todo}</p>}
    </>
  );
}

/** Where a channel leads, as far as that is no secret. */
function placeOf(channel: Channel): string {
  const members = new Map<string, unknown>(Object.entries(writtenOf(channel)));
  const shown = fieldsOf(channel.kind).flatMap(([member, { form, label }]) => {
    if (form === 'text') return members.has(member) ? [String(members.get(member))] : [];
    return form === 'secret' || form === 'secrets' ? [`${label} kept`] : [];
  });
  return shown.join(' · ');
}

type ChannelCardProps = {
  readonly channel: Channel;
  /** The list that it is of alone; undefined where it is of all lists. */
  readonly watchlist?: string;
  /** Who uses it. */
  readonly users?: string;
};

/** A channel: how it does, who uses it, and what can be done with it. */
export function ChannelCard({ channel, watchlist, users }: ChannelCardProps) {
  const { id, kind, state } = channel;
  const channels = channelsOf(watchlist);
  const [read, setRead] = useState<ReadChannel>();
  const [isLeaving, setLeaving] = useState(false);
  const [problem, setProblem] = useState<Problem>();

  const edit = async () => {
    const found = await readChannel(channels, id);
    if (found === undefined) announce('This channel cannot be read now.');
    else setRead(found);
  };
  const remove = async () => {
    setLeaving(false);
    const refused = await removeChannel(channels, id);
    setProblem(refused);
    if (refused === undefined) announce(`${id} is removed.`);
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
