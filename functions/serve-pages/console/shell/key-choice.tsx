import { apiKey, declineOffer } from '#console/interface/session.ts';

/** Asks whether to sign this tab in with the API key that a link contains. */
export function KeyChoice({ onAccept }: { readonly onAccept: () => void }) {
  return (
    <>
      <p>
        Use this key only if you trust the sender of the link. It signs you in only in this tab. The
        key that this device remembers stays the same.
      </p>
      <div class="row">
        <button type="button" onClick={onAccept}>
          Use the other key
        </button>
        <button type="button" onClick={declineOffer}>
          {apiKey.value !== undefined ? 'Keep my key' : 'Do not use it'}
        </button>
      </div>
    </>
  );
}
