import * as z from 'zod';
import type { Forms } from '#shared/domain/forms.ts';

/**
 * The link in the confirmation email of SNS. The link is parsed but never opened, because only a
 * confirmation of its token through the API protects the subscription from the unsubscribe link.
 */
export const ConfirmationLink = z.string().transform((text, context) => {
  const link = readLink(text);
  if (link !== undefined) return link;
  const message =
    'expected the confirmation link from the email, https://sns.<region>.amazonaws.com/confirmation.html?…';
  context.issues.push({ code: 'custom', input: text, message });
  return z.NEVER;
});
export type ConfirmationLink = z.output<typeof ConfirmationLink>;

export function confirmationLinkForms(): Forms {
  const pattern = '^https://sns\\.[a-z0-9-]+\\.amazonaws\\.com(\\.cn)?/.*\\?';
  return [[ConfirmationLink, { format: 'uri', pattern }]];
}

function readLink(text: string) {
  const url = URL.parse(text.trim());
  if (url?.protocol !== 'https:' || url.port !== '') return undefined;
  if (!/^sns\.[a-z0-9-]+\.amazonaws\.com(\.cn)?$/.test(url.hostname)) return undefined;
  const topicArn = url.searchParams.get('TopicArn');
  const token = url.searchParams.get('Token');
  if (topicArn === null || token === null || token.length > 1000) return undefined;
  // A plus in an address that was not encoded as %2B is decoded as a space. No address contains a
  // space.
  const endpoint = url.searchParams.get('Endpoint')?.replaceAll(' ', '+');
  return { topicArn, token, endpoint };
}
