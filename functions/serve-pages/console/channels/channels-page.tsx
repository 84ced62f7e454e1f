import { useState } from 'preact/hooks';
import { ask } from '#console/interface/ask.ts';
import { now } from '#console/interface/connection.ts';
import { refreshAll, useFollowed } from '#console/interface/follow.ts';
import type { Answer } from '#console/interface/operations.ts';
import { linkTo } from '#console/shell/place.ts';
import { Loading } from '#console/words/loading.tsx';
import { ProblemNotice } from '#console/words/problem-notice.tsx';
import { ago } from '#console/words/times.ts';

/** Where alerts go, and whether they arrive. */
export function ChannelsPage() {
  const { answer, problem } = useFollowed('GET /v1/watchlists', { query: { limit: '100' } });
  if (answer === undefined) return problem ? <ProblemNotice problem={problem} /> : <Loading />;
  return (
    <>
      <h1>Channels</h1>
      {answer.watchlists.length === 0 && (
        <div class="panel empty">
          <p>Channels belong to a list, and there is none yet.</p>
          <a class="button primary" href={linkTo('lists')}>
            Make a list
          </a>
        </div>
      )}
      {answer.watchlists.map(({ id, name }) => (
        <ChannelsOfList key={id} watchlist={id} name={name} />
      ))}
    </>
  );
}

type Channel = Answer<'GET /v1/watchlists/{watchlist}/channels'>['channels'][number];

function ChannelsOfList({
  watchlist,
  name,
}: {
  readonly watchlist: string;
  readonly name: string;
}) {
  const { answer, problem } = useFollowed('GET /v1/watchlists/{watchlist}/channels', {
    path: { watchlist },
  });
  return (
    <section class="stack" aria-label={`Channels of ${name}`}>
      <h2>{name}</h2>
      <ProblemNotice problem={problem} />
      {answer?.undeliverable && (
        <p class="notice bad">No channel of this list works: its alerts reach nobody.</p>
      )}
      <ul class="cards">
        {answer?.channels.map((channel) => (
          <ChannelCard key={channel.id} watchlist={watchlist} channel={channel} />
        ))}
      </ul>
    </section>
  );
}

const STATES: Readonly<Record<Channel['state'], { readonly word: string; readonly look: string }>> =
  {
    working: { word: 'Working', look: 'ok' },
    pending: { word: 'Not confirmed', look: 'pending' },
    failing: { word: 'Failing', look: 'warning' },
    off: { word: 'Off', look: 'failed' },
    gone: { word: 'Gone', look: 'failed' },
  };

const KINDS: Readonly<Record<Channel['kind'], string>> = {
  email: 'Email',
  sqs: 'SQS queue',
  slack: 'Slack',
  slack_bot: 'Slack by a bot',
  discord: 'Discord',
  teams: 'Teams',
  telegram: 'Telegram',
  pagerduty: 'PagerDuty',
  webhook: 'Webhook',
};

type ChannelCardProps = { readonly watchlist: string; readonly channel: Channel };

function ChannelCard({ watchlist, channel }: ChannelCardProps) {
  const [test, setTest] = useState<{ readonly alert: string } | { readonly said: string }>();
  const { id, kind, state, reason, since, lastSuccess, waiting } = channel;
  const { word, look } = STATES[state];

  const send = async () => {
    setTest({ said: 'Sending a test…' });
    const outcome = await ask('POST /v1/watchlists/{watchlist}/channels/{channel}/test', {
      path: { watchlist, channel: id },
    });
    if (outcome.kind === 'answered') {
      setTest({ alert: outcome.answer.self.split('/').at(-1) ?? '' });
    } else {
      setTest({
        said: outcome.kind === 'refused' ? outcome.problem.detail : 'The interface is offline.',
      });
    }
    refreshAll();
  };

  return (
    <li class="panel stack channel">
      <div class="row spread">
        <h3>
          {id} <span class="quiet">{KINDS[kind]}</span>
        </h3>
        <span class={`state ${look}`}>{word}</span>
      </div>
      <p class="small quiet">
        {addressOf(channel)}
        {addressOf(channel) !== '' && ' · '}
        {lastSuccess === null
          ? 'nothing delivered yet'
          : `last delivered ${ago(lastSuccess, now())}`}
        {waiting > 0 && ` · ${waiting === 100 ? '100 or more wait' : `${waiting} waiting`}`}
      </p>
      {reason !== null && (
        <p class="small">
          {reason}
          {since !== null && <span class="quiet"> since {ago(since, now())}</span>}
        </p>
      )}
      <div class="row actions">
        <button type="button" onClick={() => void send()}>
          Send a test
        </button>
        {test !== undefined &&
          ('said' in test ? (
            <span role="status">{test.said}</span>
          ) : (
            <TestResult watchlist={watchlist} alert={test.alert} channel={id} />
          ))}
      </div>
    </li>
  );
}

type TestResultProps = {
  readonly watchlist: string;
  readonly alert: string;
  readonly channel: string;
};

const RESULTS = {
  pending: 'On its way…',
  accepted: 'The test was handed over.',
  sent: 'The test has arrived.',
  skipped: 'The test was not sent.',
  failed: 'The test failed',
} as const;

/** Follows the delivery of a test. */
function TestResult({ watchlist, alert, channel }: TestResultProps) {
  const { answer } = useFollowed(
    'GET /v1/watchlists/{watchlist}/alerts/{alert}',
    { path: { watchlist, alert } },
    SOON,
  );
  const delivery = answer?.deliveries[channel];
  const reason = delivery?.reason == null ? '' : `: ${delivery.reason}`;
  return <span role="status">{`${RESULTS[delivery?.state ?? 'pending']}${reason}`}</span>;
}

const SOON = 2000;

/** An address is shown as far as it is no secret. */
function addressOf(channel: Channel): string {
  if ('to' in channel && typeof channel.to === 'string') return channel.to;
  if (channel.kind === 'webhook' && 'url' in channel) return String(channel.url);
  return '';
}
