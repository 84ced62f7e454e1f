import { expect, it } from 'vitest';
import { channelOffAlert, sampleAlert } from '#shared/domain/channels/channel-alerts.ts';
import { newChannelRecord, turnedOff } from '#shared/domain/channels/channel-record.ts';
import { linesSaid, NOON } from '#test/support/builders.ts';

const desk = { list: { tenant: 'acme', id: 'punks' }, channel: 'desk' };

it('a test reads as an alert of a rule does, and begins by saying that it is a sample', () => {
  expect(linesSaid(sampleAlert(desk, 1, NOON))).toEqual([
    'Sample: CryptoPunks below 60 ETH: 59.9 ETH ($181k, −2.2 %)',
    'Test: of channel "desk"; its prices are invented',
    'Condition: floor price at or below 60 ETH',
    'Was: 61.25 ETH',
    'Distance: 0.1 ETH (0.1 %) below 60 ETH',
  ]);
});

it('a channel that is off is reported with its reason, and what to do', () => {
  const record = turnedOff(newChannelRecord('acme#punks#desk', NOON), 'it answered 410', NOON);

  const alert = channelOffAlert(desk, record);

  expect(alert && linesSaid(alert)).toEqual([
    'Channel "desk" of watchlist "punks" is off',
    'Reason: it answered 410',
    'Next: Change its address, or send a test: the channel is on again when the test arrives.',
  ]);
});
