import { useEffect, useState } from 'preact/hooks';
import { problemOf } from '#console/form/problems.tsx';
import { nameIn } from '#console/interface/ask.ts';
import { refreshAll, useFollowed } from '#console/interface/follow.ts';
import type { Answer } from '#console/interface/operations.ts';
import { channelsOf } from './channel-requests.ts';

type Delivery = Answer<'GET /v1/alerts/{alert}'>['deliveries'][string];

type ChannelTestProps = {
  readonly channel: string;
  /** The list that owns the channel. Undefined for a shared channel. */
  readonly watchlist: string | undefined;
};

type Test =
  | { readonly step: 'none' }
  | { readonly step: 'under way'; readonly alert: string }
  | { readonly step: 'over'; readonly said: string };

/** Sends a test and shows its result. */
export function ChannelTest({ channel, watchlist }: ChannelTestProps) {
  const [test, setTest] = useState<Test>({ step: 'none' });
  const send = async () => {
    setTest({ step: 'over', said: 'Sending…' });
    const outcome = await channelsOf(watchlist).test(channel);
    setTest(
      outcome.kind === 'answered'
        ? { step: 'under way', alert: nameIn(outcome.answer.self) }
        : { step: 'over', said: problemOf(outcome, 'Not sent')?.detail ?? '' },
    );
  };
  const settle = ({ state, reason }: Delivery) => {
    if (state === 'pending') return;
    setTest({
      step: 'over',
      said: reason === null ? RESULTS[state] : `${RESULTS[state]}: ${reason}`,
    });
    refreshAll();
  };
  const isUnderWay = test.step === 'under way';
  return (
    <>
      <button type="button" disabled={isUnderWay} onClick={() => void send()}>
        Send a test
      </button>
      <span role="status">
        {isUnderWay && 'Waiting for delivery…'}
        {test.step === 'over' && test.said}
      </span>
      {isUnderWay &&
        (watchlist === undefined ? (
          <OfAllLists alert={test.alert} channel={channel} onDelivery={settle} />
        ) : (
          <OfList watchlist={watchlist} alert={test.alert} channel={channel} onDelivery={settle} />
        ))}
    </>
  );
}

const RESULTS = {
  accepted: 'AWS accepted the test and is delivering it.',
  sent: 'The test has arrived.',
  failed: 'The test failed',
  skipped: 'The test was not sent',
} as const;

const SOON = 2000;

type FollowProps = {
  readonly alert: string;
  readonly channel: string;
  readonly onDelivery: (delivery: Delivery) => void;
};

function OfAllLists({ alert, channel, onDelivery }: FollowProps) {
  const { answer } = useFollowed('GET /v1/alerts/{alert}', { path: { alert } }, SOON);
  useReported(answer?.deliveries[channel], onDelivery);
  return null;
}

function OfList({
  watchlist,
  alert,
  channel,
  onDelivery,
}: FollowProps & { readonly watchlist: string }) {
  const { answer } = useFollowed(
    'GET /v1/watchlists/{watchlist}/alerts/{alert}',
    { path: { watchlist, alert } },
    SOON,
  );
  useReported(answer?.deliveries[channel], onDelivery);
  return null;
}

function useReported(delivery: Delivery | undefined, report: (delivery: Delivery) => void): void {
  useEffect(() => {
    if (delivery !== undefined) report(delivery);
  }, [delivery]);
}
