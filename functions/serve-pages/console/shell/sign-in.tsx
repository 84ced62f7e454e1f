import { useState } from 'preact/hooks';
import { redeemCode } from '#console/interface/redeem-code.ts';
import { credentialIn, refusedBecause, signIn } from '#console/interface/session.ts';

/** The form to sign in with a key, a link or a code. */
export function SignIn() {
  const [key, setKey] = useState('');
  const [chosen, setChosen] = useState<boolean>();
  const [isBusy, setBusy] = useState(false);
  const { kind, text } = credentialIn(key.trim());
  // A code gives this device its own key, which nobody could type again, so it is remembered by
  // default.
  const isKept = chosen ?? kind === 'one-time code';
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (key.trim() === '') return;
    const keep = isKept ? 'on this device' : 'for this session';
    if (kind === 'key') {
      signIn(text, keep);
      return;
    }
    setBusy(true);
    const failure = await redeemCode(text, keep);
    setBusy(false);
    refusedBecause.value = failure?.reason;
  };
  return (
    <main class="sign-in" id="content">
      <h1>floorwatch</h1>
      <p>Floor prices of NFT collections, and their distance from your thresholds.</p>
      {refusedBecause.value && (
        <p class="notice bad" role="alert">
          {refusedBecause.value}
        </p>
      )}
      <form onSubmit={(event) => void submit(event)}>
        <label for="key">API key or sign-in link</label>
        <input
          id="key"
          name="key"
          type="password"
          autocomplete="current-password"
          placeholder="fw_…"
          required
          value={key}
          onInput={({ currentTarget }) => setKey(currentTarget.value)}
        />
        <label class="check">
          <input
            type="checkbox"
            checked={isKept}
            onChange={({ currentTarget }) => setChosen(currentTarget.checked)}
          />
          Remember the key on this device
        </label>
        <button type="submit" class="primary" disabled={isBusy}>
          Sign in
        </button>
      </form>
      <p class="quiet">
        To sign in on a phone, open Operations on a device that is signed in, and create a link
        under “Sign in on a phone”. Scan its code with the camera to sign in with the phone’s
        browser. The installed app has its own session: to sign in to the app, paste the link into
        this field in the app.
      </p>
      <p class="quiet">
        <code>npm start</code> prints a link that contains a key. For a stack in the cloud, create a
        key with <code>npm run operate -- keys create</code>. Unless this device remembers the key,
        you are signed out when you close this tab.
      </p>
    </main>
  );
}
