import { apiKey, declineOffer } from '#console/interface/session.ts';

/** Asks whether the key of a link is used in this tab. */
export function KeyChoice({ onAccept }: { readonly onAccept: () => void }) {
  return (
    <>
      <p>
        Use it only if you trust the sender of the link. It works in this tab, and the key that this
        device remembers stays.
      </p>
      <div class="row">
        <button type="button" onClick={onAccept}>
          Use the other key
        </button>
        <button type="button" onClick={declineOffer}>
          {apiKey.value !== undefined ? 'Stay' : 'Do not use it'}
        </button>
      </div>
    </>
  );
}
