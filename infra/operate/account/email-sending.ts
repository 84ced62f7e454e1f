import {
  GetAccountCommand,
  GetEmailIdentityCommand,
  NotFoundException,
  type SESv2Client,
} from '@aws-sdk/client-sesv2';

/** What SES lets an account send from an address, in the client's region. */
export type EmailSending = {
  readonly sender: string;
  /** The address itself, or its domain. */
  readonly isVerified: boolean;
  /** Then SES sends to verified addresses only, 200 a day. */
  readonly isSandbox: boolean;
  /** False while SES has stopped the account, or its owner has. */
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

/** How much SES sends, and what becomes of the rest. */
export function sendingInWords({ isEnabled, isSandbox, perDay, perSecond }: EmailSending): string {
  if (!isEnabled) return 'SES has stopped the account: SNS sends all, as plain text';
  // SES gives -1 where there is no limit.
  const daily = perDay < 0 ? 'any number' : perDay.toLocaleString('en-US');
  const sandbox = isSandbox ? ', to verified addresses only (its sandbox)' : '';
  return `SES sends ${daily} a day, ${perSecond} a second${sandbox}; SNS the rest, as plain text`;
}
