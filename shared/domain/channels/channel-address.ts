import { addressIn, isPublicAddress } from './public-address.ts';

/** Of the partitions that AWS has; an account is reported as a number everywhere. */
export const QUEUE_ARN =
  /^arn:aws(-cn|-us-gov|-iso(-[bef])?|-eusc)?:sqs:[a-z0-9-]{1,40}:\d{12}:[\w-]{1,80}$/;

/** Whether a text is an incoming webhook of Slack, and nothing else. */
export function isSlackUrl(text: string): boolean {
  return /^https:\/\/hooks\.slack\.com\/services\/T\w{1,50}\/B\w{1,50}\/\w{1,100}$/.test(text);
}

/** Whether a text is a webhook of Discord, and nothing else. */
export function isDiscordUrl(text: string): boolean {
  return /^https:\/\/discord\.com\/api\/webhooks\/\d{1,20}\/[\w-]{1,200}$/.test(text);
}

/** Whether a webhook's URL is one of this very machine, which only a stack on it can mean. */
export function isLoopbackUrl(url: string): boolean {
  return url.startsWith('http:');
}

/** Whether a text is a signing secret as Standard Webhooks writes it. */
export function isSigningSecret(text: string): boolean {
  const [, base64] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
  if (base64 === undefined) return false;
  const bytes = Buffer.from(base64, 'base64');
  return bytes.length >= 24 && bytes.length <= 64 && bytes.toString('base64') === base64;
}

/** Why a text is not the ARN of a queue that alerts may go to; undefined where it is. */
export function queueIssue(arn: string): string | undefined {
  const name = arn.slice(arn.lastIndexOf(':') + 1);
  if (name.endsWith('.fifo')) return 'expected a standard queue, not a FIFO queue';
  if (/^floorwatch-/i.test(name)) return 'expected a queue of your own, not one of floorwatch';
  return QUEUE_ARN.test(arn)
    ? undefined
    : 'expected the ARN of a queue, arn:aws:sqs:<region>:<account>:<name>';
}

/** Why a text is not a URL that alerts may be posted to; undefined where it is. */
export function webhookIssue(text: string): string | undefined {
  const url = /^[!-~]+$/.test(text) ? URL.parse(text) : null;
  if (url === null) return 'expected a URL in ASCII, https://…';
  // It is kept as it is asked for, which may be longer.
  if (url.href.length > 2000) return 'expected at most 2000 characters';
  if (url.username !== '' || url.password !== '') return 'expected a URL without user information';
  if (text.includes('#')) return 'expected a URL without a fragment';
  if (/^http:\/\/127\.0\.0\.1:\d+\//.test(url.href)) return undefined;
  if (url.protocol !== 'https:') return 'expected an https URL';
  const address = addressIn(url);
  const isPublic = address === undefined ? isPublicName(url.hostname) : isPublicAddress(address);
  return isPublic ? undefined : 'expected a host with a public address';
}

/**
 * Whether a host's name can be one of the internet: names of one word and these are of a network.
 */
function isPublicName(hostname: string): boolean {
  const words = hostname.replace(/\.$/, '').split('.');
  return words.length > 1 && !['local', 'localhost', 'internal'].includes(words.at(-1) ?? '');
}
