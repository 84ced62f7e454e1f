import { useState } from 'preact/hooks';
import { refusedBecause, signIn } from '#console/interface/session.ts';

/** Asks for a key in plain words. */
export function SignIn() {
  const [key, setKey] = useState('');
  const [isKept, setKept] = useState(false);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (key.trim() !== '') signIn(key.trim(), isKept ? 'on this device' : 'for this session');
  };
  return (
    <main class="sign-in" id="content">
      <h1>floorwatch</h1>
      <p>Floors of NFT collections, and how far they are from your lines.</p>
      {refusedBecause.value && (
        <p class="notice bad" role="alert">
          {refusedBecause.value}
        </p>
      )}
      <form onSubmit={submit}>
        <label for="key">API key</label>
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
            onChange={({ currentTarget }) => setKept(currentTarget.checked)}
          />
          Remember it on this device
        </label>
        <button type="submit" class="primary">
          Show my collections
        </button>
      </form>
      <p class="quiet">
        <code>npm start</code> prints a link that has a key in it. In the cloud a key is made by{' '}
        <code>npm run operate -- keys create</code>. Without “remember” the key is forgotten with
        this tab.
      </p>
    </main>
  );
}
