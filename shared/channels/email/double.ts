import * as z from 'zod';
import { type DoubleAnswer, readMessage } from '#shared/channels/chat-double.ts';
import { createPace } from '#shared/channels/pace.ts';

/** An email as its recipient gets it. */
export type SentEmail = {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The address for the unsubscribe button of mail programs. */
  readonly unsubscribe: string | undefined;
};

export type SesAnswer = Omit<DoubleAnswer, 'taken'> & { readonly taken?: SentEmail };

/**
 * The sandbox of a new account, which can send only to verified addresses and to its own sender.
 */
type Sandbox = { readonly verified: readonly string[] };

type SesPost = {
  readonly method?: string | undefined;
  readonly headers: { readonly authorization?: string | undefined };
  readonly path: string;
  readonly body: string;
};

/**
 * A fake of SES's `SendEmail` (API v2) for simple content. It accepts one verified sender and 14
 * emails a second ("Service quotas"). In the sandbox it accepts one email a second, and only to
 * verified addresses. It shares no code with our sender.
 */
export function createSesDouble(sender: string, now: () => number, sandbox?: Sandbox) {
  const verified = [sender, ...(sandbox?.verified ?? [])];
  const pace = createPace(sandbox === undefined ? 14 : 1, 1000, now);
  let sent = 0;
  return ({ method, headers: { authorization = '' }, path, body }: SesPost): SesAnswer => {
    if (method !== 'POST' || path !== '/v2/email/outbound-emails') {
      return refusal(404, 'NotFoundException', 'there is no such operation');
    }
    if (!/^AWS4-HMAC-SHA256 Credential=[^,]+\/ses\/aws4_request,/.test(authorization)) {
      return refusal(
        403,
        'MissingAuthenticationTokenException',
        'the request is not signed for SES',
      );
    }
    const read = readMessage(SendEmail, body);
    if ('issue' in read) return refusal(400, 'BadRequestException', read.issue);
    const { FromEmailAddress, Destination, Content } = read.message;
    const checked = [FromEmailAddress, ...(sandbox === undefined ? [] : Destination.ToAddresses)];
    const failed = checked.filter((address) => !verified.includes(address));
    if (failed.length > 0) return refusal(400, 'MessageRejected', unverified(failed));
    if (pace(sender) > 0) {
      return { status: 429, headers: errorType('TooManyRequestsException'), body: THROTTLED };
    }
    sent += 1;
    const { Subject, Body, Headers = [] } = Content.Simple;
    const [to] = Destination.ToAddresses;
    const header = (name: string) => Headers.find(({ Name }) => Name === name)?.Value;
    const isOneClick = header('List-Unsubscribe-Post') === 'List-Unsubscribe=One-Click';
    const [, unsubscribe] = /^<([^<>]+)>$/.exec(header('List-Unsubscribe') ?? '') ?? [];
    return {
      status: 200,
      body: JSON.stringify({ MessageId: `local-${sent}` }),
      taken: {
        ...{ to, subject: Subject.Data, text: Body.Text.Data, html: Body.Html.Data },
        unsubscribe: isOneClick ? unsubscribe : undefined,
      },
    };
  };
}

function unverified(failed: readonly string[]): string {
  const identities = failed.join(', ');
  return `Email address is not verified. The following identities failed the check in region EU-WEST-1: ${identities}`;
}

const THROTTLED = JSON.stringify({ message: 'Maximum sending rate exceeded.' });

function refusal(status: number, type: string, message: string): SesAnswer {
  const issue = `SES: ${message}`;
  return { status, headers: errorType(type), body: JSON.stringify({ message }), issue };
}

function errorType(type: string) {
  return { 'x-amzn-ErrorType': type };
}

/** The type "Content" of SES. Without a charset, its data must be 7-bit ASCII. */
const Content = z
  .strictObject({ Data: z.string().min(1), Charset: z.literal('UTF-8').optional() })
  .refine(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
    ({ Data, Charset }) => Charset !== undefined || /^[\x00-\x7f]*$/.test(Data),
    'expected ASCII, because "Charset" is missing',
  );

/**
 * The body of `SendEmail`, with the limits that the API reference states for "MessageHeader",
 * "MessageTag", "Destination" and the size of a whole message.
 */
const SendEmail = z
  .strictObject({
    FromEmailAddress: z.email(),
    // SES allows fifty; this fake requires one.
    Destination: z.strictObject({ ToAddresses: z.tuple([z.email().regex(/^[\x20-\x7e]+$/)]) }),
    Content: z.strictObject({
      Simple: z.strictObject({
        Subject: Content.refine(
          ({ Data }) => !/[\r\n]/.test(Data),
          'expected a subject of one line',
        ),
        Body: z.strictObject({ Text: Content, Html: Content }),
        Headers: z
          .array(
            z
              .strictObject({
                Name: z.string().regex(/^[!-9;-~]{1,126}$/),
                Value: z.string().regex(/^[ -~]{1,995}$/),
              })
              .refine(({ Name, Value }) => Name.length + Value.length <= 996, 'too long'),
          )
          .max(15)
          .optional(),
      }),
    }),
    EmailTags: z
      .array(
        z.strictObject({
          Name: z.string().regex(/^[\w-]{1,256}$/),
          Value: z.string().regex(/^[\w-]{1,256}$/),
        }),
      )
      .max(50)
      .optional(),
    ConfigurationSetName: z
      .string()
      .regex(/^[\w-]{1,64}$/)
      .optional(),
  })
  .refine(
    (message) => JSON.stringify(message).length <= 40 * 1024 * 1024,
    'the email is larger than 40 MB',
  );
