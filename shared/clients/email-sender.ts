import * as z from 'zod';
import { JsonText } from '#shared/domain/json-text.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import { AwsCaller, awsUrl, createAwsSigner } from './aws-signer.ts';
import { createHttpClient, HttpError, type HttpResponse } from './http-client.ts';

export type Email = {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** A `POST` of a mail program to this URL ends the subscription. */
  readonly unsubscribeUrl: string;
  /** Included in later reports of SES about this email. */
  readonly channel: string;
};

/**
 * Whether SES accepted an email: A `refused` email was not sent, and a `failed` email may have been
 * sent.
 */
export type EmailAnswer =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused' | 'failed'; readonly reason: string };

export type SendEmail = (email: Email, signal: AbortSignal) => Promise<EmailAnswer>;

/** A local stack also sets the URL of its fake SES. */
export const EmailSenderEnvironment = AwsCaller.extend({
  AWS_ENDPOINT_URL_SESV2: z.url().optional(),
});
type EmailSenderEnvironment = z.output<typeof EmailSenderEnvironment>;

export type EmailSettings = {
  /** The verified sender. */
  readonly sender: string;
  /** The configuration set, which forwards reports. */
  readonly configurationSet: string;
  readonly now: () => Instant;
};

const LIMITS = { deadlineMs: 5000, maxBodyBytes: 64 * 1024, maxConnections: 2 };

/**
 * Sends emails through SES with its operation `SendEmail` (API v2), signed as in the SDK. It does
 * not retry, because SES may have accepted an email whose request timed out.
 */
export function createEmailSender(
  environment: EmailSenderEnvironment,
  { sender, configurationSet, now }: EmailSettings,
): SendEmail {
  const http = createHttpClient(LIMITS);
  const sign = createAwsSigner(environment, 'ses', now);
  const { AWS_REGION, AWS_ENDPOINT_URL_SESV2 = awsUrl('email', AWS_REGION) } = environment;
  const url = new URL('/v2/email/outbound-emails', AWS_ENDPOINT_URL_SESV2);
  const headers = { 'content-type': 'application/json' };
  return async ({ to, subject, text, html, unsubscribeUrl, channel }, signal) => {
    const body = JSON.stringify({
      FromEmailAddress: sender,
      Destination: { ToAddresses: [to] },
      Content: {
        Simple: {
          Subject: utf8(subject),
          Body: { Text: utf8(text), Html: utf8(html) },
          // RFC 8058: mail programs unsubscribe with one click by a POST, which link scanners do
          // not send.
          Headers: [
            { Name: 'List-Unsubscribe', Value: `<${unsubscribeUrl}>` },
            { Name: 'List-Unsubscribe-Post', Value: 'List-Unsubscribe=One-Click' },
          ],
        },
      },
      EmailTags: [{ Name: 'channel', Value: Buffer.from(channel).toString('base64url') }],
      ConfigurationSetName: configurationSet,
    });
    try {
      const request = await sign({ method: 'POST', url, headers, body });
      return answerIn(await http.request({ ...request, signal }), { sender, to });
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      return { kind: 'failed', reason: `SES did not respond: ${error.reason}` };
    }
  };
}

function utf8(text: string) {
  return { Data: text, Charset: 'UTF-8' };
}

function answerIn({ status, headers, body }: HttpResponse, addresses: Addresses): EmailAnswer {
  if (status === 200) return { kind: 'accepted' };
  const type = headers['x-amzn-errortype']?.replace(/:.*/, '') ?? '';
  const { message = '' } = Refusal.safeParse(body).data ?? {};
  const answered = [`SES returned HTTP ${status}`, type].filter((part) => part !== '').join(' ');
  const reason = [answered, ...unverifiedIn(message, addresses)].join('; ');
  return { kind: status < 500 ? 'refused' : 'failed', reason };
}

const Refusal = JsonText.pipe(z.object({ message: z.string() }));

type Addresses = { readonly sender: string; readonly to: string };

/**
 * How to verify the addresses that SES rejects as unverified. The message of SES lists these
 * addresses after the region. In the sandbox SES also checks the recipient. The reason is logged,
 * so it must not contain the recipient's address.
 */
function unverifiedIn(message: string, { sender, to }: Addresses): readonly string[] {
  const [, list] =
    /^Email address is not verified\..* failed the check in region [^:]*:(.*)$/s.exec(message) ??
    [];
  if (list === undefined) return [];
  const failed = new Set(list.toLowerCase().split(/[\s,]+/));
  return [
    ...(failed.has(sender.toLowerCase()) ? [`verify the sender ${sender} in this region`] : []),
    ...(failed.has(to.toLowerCase()) ? [UNVERIFIED_RECIPIENT] : []),
  ];
}

const UNVERIFIED_RECIPIENT =
  'the account is still in the SES sandbox: verify the address of this recipient, or request production access';
