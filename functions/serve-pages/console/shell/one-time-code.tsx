import { useEffect, useState } from 'preact/hooks';
import { type NotRedeemed, redeemCode } from '#console/interface/redeem-code.ts';
import { apiKey, declineOffer } from '#console/interface/session.ts';
import { KeyChoice } from './key-choice.tsx';
import { goTo } from './place.ts';

/** Redeems the code of a sign-in link. If somebody is signed in, asks first. */
export function OneTimeCode({ code }: { readonly code: string }) {
  const [failure, setFailure] = useState<NotRedeemed>();
  const [isBusy, setBusy] = useState(false);
  const redeem = async (keep: Parameters<typeof redeemCode>[1]) => {
    setBusy(true);
    const notRedeemed = await redeemCode(code, keep);
    setBusy(false);
    setFailure(notRedeemed);
    if (notRedeemed === undefined) declineOffer();
    return notRedeemed === undefined;
  };
  const begin = () => void redeem('on this device');
  useEffect(() => {
    if (apiKey.peek() === undefined) begin();
  }, []);
  const accept = async () => {
    if (await redeem('for this session')) goTo();
  };
  if (isBusy) {
    return (
      <p class="notice offered-key" role="status">
        Signing in…
      </p>
    );
  }
  const isSignedIn = apiKey.value !== undefined;
  if (failure === undefined && !isSignedIn) return null;
  return (
    <div class="notice warning stack offered-key" role="alert">
      {failure === undefined ? (
        <p>This link would sign you in with another key.</p>
      ) : (
        <p>
          {failure.reason} {isSignedIn && 'You are still signed in with your own key.'}
        </p>
      )}
      {failure === undefined ? (
        <KeyChoice onAccept={() => void accept()} />
      ) : (
        <div class="row">
          {!failure.isFinal && (
            <button type="button" onClick={isSignedIn ? () => void accept() : begin}>
              Try again
            </button>
          )}
          <button type="button" onClick={declineOffer}>
            Close
          </button>
        </div>
      )}
    </div>
  );
}
