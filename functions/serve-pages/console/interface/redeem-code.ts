import { ask } from './ask.ts';
import { signIn } from './session.ts';

/** The reason why a code gave no key, and whether it never will. */
export type NotRedeemed = { readonly reason: string; readonly isFinal: boolean };

/** Signs in with the key that a one-time code gives. Returns undefined if that worked. */
export async function redeemCode(
  code: string,
  keep: Parameters<typeof signIn>[1],
): Promise<NotRedeemed | undefined> {
  const outcome = await ask('POST /v1/sign-ins/redeem', { body: { code } });
  if (outcome.kind === 'answered') {
    signIn(outcome.answer.key, keep);
    return undefined;
  }
  if (outcome.kind !== 'refused') {
    return { reason: 'The code was not sent: there is no connection.', isFinal: false };
  }
  const { status, detail } = outcome.problem;
  const isFinal = status === 410 || status === 400;
  return { reason: isFinal ? UNUSABLE : detail, isFinal };
}

const UNUSABLE =
  'This link was used, has expired, or is wrong. Make a new one on a device that is signed in: open Operations, “Sign in on a phone”.';
