import {
  GetAccountCommand,
  GetEmailIdentityCommand,
  NotFoundException,
  SESv2Client,
} from '@aws-sdk/client-sesv2';
import { mockClient } from 'aws-sdk-client-mock';
import { expect, it } from 'vitest';
import { emailSending } from '#infra/operate/account/email-sending.ts';

const SENDER = 'alerts@example.com';
const unknown = new NotFoundException({ $metadata: {}, message: 'no identity' });

it.each([
  { what: 'its address', verified: SENDER, isVerified: true },
  { what: 'its domain', verified: 'example.com', isVerified: true },
  { what: 'neither of them', verified: 'example.org', isVerified: false },
])('a sender may send if $what is verified: $isVerified', async ({ verified, isVerified }) => {
  const client = new SESv2Client({ region: 'eu-west-1' });
  const mock = mockClient(client);
  mock.on(GetAccountCommand).resolves({
    ...{ ProductionAccessEnabled: false, SendingEnabled: true },
    SendQuota: { Max24HourSend: 200, MaxSendRate: 1, SentLast24Hours: 7 },
  });
  mock.on(GetEmailIdentityCommand).rejects(unknown);
  mock
    .on(GetEmailIdentityCommand, { EmailIdentity: verified })
    .resolves({ VerifiedForSendingStatus: true });

  expect(await emailSending(client, SENDER)).toEqual({
    ...{ sender: SENDER, isVerified, isSandbox: true, isEnabled: true },
    ...{ perDay: 200, perSecond: 1, sentInDay: 7 },
  });
});
