import { ask } from './ask.ts';
import { signIn } from './session.ts';

/** The reason why a code was not redeemed. If `isFinal` is true, a retry cannot succeed. */
export type NotRedeemed = { readonly reason: string; readonly isFinal: boolean };

/** Redeems a one-time code and signs in with its key. Returns undefined on success. */
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
    return {
      reason: 'The code was not sent, because there is no connection. Try again later.',
      isFinal: false,
    };
  }
  const { status, detail } = outcome.problem;
  const isFinal = status === 410 || status === 400;
  return { reason: isFinal ? UNUSABLE : detail, isFinal };
}

const UNUSABLE =
  'This link is not valid, was already used, or has expired. Create a new one on a device that is signed in, under “Sign in on a phone” in Operations.';
