import {
  GetAccountCommand,
  GetEmailIdentityCommand,
  NotFoundException,
  type SESv2Client,
} from '@aws-sdk/client-sesv2';

/** The sending limits of SES for an account and a sender address, in the client's region. */
export type EmailSending = {
  readonly sender: string;
  /** Whether the address itself or its domain is verified. */
  readonly isVerified: boolean;
  /** In its sandbox SES sends to verified addresses only, 200 a day. */
  readonly isSandbox: boolean;
  /** False while AWS or the owner has suspended sending for the account. */
  readonly isEnabled: boolean;
  readonly perDay: number;
  readonly perSecond: number;
  readonly sentInDay: number;
};

export async function emailSending(client: SESv2Client, sender: string): Promise<EmailSending> {
  const domain = sender.slice(sender.lastIndexOf('@') + 1);
  const [account, ...verified] = await Promise.all([
    client.send(new GetAccountCommand({})),
    ...[sender, domain].map((identity) => isVerified(client, identity)),
  ]);
  const { ProductionAccessEnabled = false, SendingEnabled = false, SendQuota = {} } = account;
  return {
    sender,
    isVerified: verified.includes(true),
    isSandbox: !ProductionAccessEnabled,
    isEnabled: SendingEnabled,
    perDay: SendQuota.Max24HourSend ?? 0,
    perSecond: SendQuota.MaxSendRate ?? 0,
    sentInDay: SendQuota.SentLast24Hours ?? 0,
  };
}

async function isVerified(client: SESv2Client, identity: string): Promise<boolean> {
  try {
    const asked = new GetEmailIdentityCommand({ EmailIdentity: identity });
    return (await client.send(asked)).VerifiedForSendingStatus === true;
  } catch (error) {
    if (error instanceof NotFoundException) return false;
    throw error;
  }
}

/** The sending limits of SES in words, and the fallback to SNS. */
export function sendingInWords({ isEnabled, isSandbox, perDay, perSecond }: EmailSending): string {
  if (!isEnabled)
    return 'SES sending is suspended for the account, so SNS sends all emails as plain text';
  // SES returns -1 for an unlimited quota.
  const daily = perDay < 0 ? 'any number' : `up to ${perDay.toLocaleString('en-US')}`;
  const sandbox = isSandbox ? ', only to verified addresses (sandbox)' : '';
  return `SES sends ${daily} a day, up to ${perSecond} a second${sandbox}; SNS sends the rest as plain text`;
}
