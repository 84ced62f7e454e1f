import { SELDOM, useFollowed } from '#console/interface/follow.ts';
import type { Answer } from '#console/interface/operations.ts';
import { acceptOffer, apiKey, declineOffer, offer } from '#console/interface/session.ts';
import { KeyChoice } from './key-choice.tsx';
import { OneTimeCode } from './one-time-code.tsx';
import { goTo } from './place.ts';

/**
 * Handles a sign-in link that was opened. Asks before the link replaces the session, and explains
 * why an invalid link cannot be used.
 */
export function OfferedKey() {
  const offered = offer.value;
  if (offered === undefined) return null;
  if (offered.kind === 'unreadable') {
    return (
      <Refused reason="This link has no readable key or code. Ask its sender for a new link." />
    );
  }
  if (offered.kind === 'one-time code') return <OneTimeCode key={offered.code} {...offered} />;
  return <Question key={offered.key} offered={offered.key} />;
}

function Question({ offered }: { readonly offered: string }) {
  const { answer: other, problem } = useFollowed('GET /v1/key', { key: offered }, SELDOM);
  if (problem?.status === 401) {
    return (
      <Refused reason="The key in this link is not valid: it is wrong, has expired, or was revoked. Ask the sender for a new link." />
    );
  }
  const isSignedIn = apiKey.value !== undefined;
  const accept = () => {
    acceptOffer();
    goTo();
  };
  return (
    <div class="notice warning stack offered-key" role="alert">
      <p>
        This link would sign you in with another key{other && <>: {nameOf(other)}</>}.{' '}
        {isSignedIn && <OwnName />}
      </p>
      <KeyChoice onAccept={accept} />
    </div>
  );
}

/** Names the key of this tab. */
function OwnName() {
  const { answer: own } = useFollowed('GET /v1/key', {}, SELDOM);
  return <>{own && `You are signed in with ${nameOf(own)}.`}</>;
}

/** Identifies a key without its secret. */
function nameOf({ name, tenant, id }: Answer<'GET /v1/key'>): string {
  return `“${name}” (tenant ${tenant}, ID ${id})`;
}

function Refused({ reason }: { readonly reason: string }) {
  return (
    <div class="notice warning stack offered-key" role="alert">
      <p>
        {reason} {apiKey.value !== undefined && 'You are still signed in with your own key.'}
      </p>
      <div class="row">
        <button type="button" onClick={declineOffer}>
          Close
        </button>
      </div>
    </div>
  );
}
