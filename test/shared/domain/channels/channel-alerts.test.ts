import { expect, it } from 'vitest';
import { channelOffAlert, sampleAlert } from '#shared/domain/channels/channel-alerts.ts';
import { newChannelRecord, turnedOff } from '#shared/domain/channels/channel-record.ts';
import { linesSaid, NOON } from '#test/support/builders.ts';

const desk = { list: { tenant: 'acme', id: 'punks' }, channel: 'desk' };

it('a channel test sends the texts of a rule alert, marked as a sample', () => {
  expect(linesSaid(sampleAlert(desk, 1, NOON))).toEqual([
    'Sample: CryptoPunks below 60 ETH: 59.9 ETH ($181k, −2.2%)',
    'Test: sent through channel "desk", with sample prices',
    'Condition: floor price at or below 60 ETH',
    'Was: 61.25 ETH',
    'Distance: 0.1 ETH (0.1%) below 60 ETH',
  ]);
});

it('reports that a channel is off, with the reason and the next step', () => {
  const record = turnedOff(newChannelRecord('acme#punks#desk', NOON), 'HTTP 410', NOON);

  const alert = channelOffAlert(desk, record);

  expect(alert && linesSaid(alert)).toEqual([
    'Channel "desk" of watchlist "punks" is off',
    'Reason: HTTP 410',
    'Next: Change its address, or send a test. A successful test turns the channel on again.',
  ]);
});
