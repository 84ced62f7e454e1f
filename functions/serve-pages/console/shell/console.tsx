import { useEffect, useRef, useState } from 'preact/hooks';
import { SELDOM, useFollowed } from '#console/interface/follow.ts';
import { ownKey } from '#console/interface/own-key.ts';
import { apiKey } from '#console/interface/session.ts';
import { PaletteButton } from '#console/palette/palette-button.tsx';
import { ShortcutsHelp } from '#console/shortcuts/shortcuts-help.tsx';
import { listenToKeys, useShortcuts } from '#console/shortcuts/use-shortcuts.ts';
import { Announcements } from './announcements.tsx';
import { ConnectionStatus } from './connection-status.tsx';
import { OfferedKey } from './offered-key.tsx';
import { Page } from './page.tsx';
import { goTo, linkTo, place } from './place.ts';
import { SignIn } from './sign-in.tsx';
import { useUntitled } from './title.tsx';
import { TroubleNotice } from './trouble-notice.tsx';

/** The console: the page that the address names, or the sign-in form. */
export function Console() {
  const isSignedIn = apiKey.value !== undefined;
  useUntitled(isSignedIn ? place.value.join('/') : 'sign in');
  return (
    <>
      <button type="button" class="skip" onClick={toContent}>
        Skip to content
      </button>
      <OfferedKey />
      {isSignedIn ? <SignedIn key={apiKey.value} /> : <SignIn />}
    </>
  );
}

function toContent(): void {
  document.getElementById('content')?.focus();
}

const PAGES = [
  { name: 'Overview', at: [] },
  { name: 'Alerts', at: ['alerts'] },
  { name: 'Channels', at: ['channels'] },
  { name: 'Lists', at: ['lists'] },
] as const;

/** This page needs a key with the scope "read". */
const OPERATIONS = { name: 'Operations', at: ['operations'] } as const;
function SignedIn() {
  const [first = ''] = place.value;
  const { answer: key } = useFollowed('GET /v1/key', {}, SELDOM);
  const pages = key?.may.includes('read') ? [...PAGES, OPERATIONS] : PAGES;
  useEffect(() => {
    ownKey.value = key;
  }, [key]);
  const [isHelpOpen, setHelpOpen] = useState(false);
  const openHelp = () => setHelpOpen(true);
  useEffect(listenToKeys, []);
  useShortcuts({
    help: openHelp,
    overview: () => goTo(),
    alerts: () => goTo('alerts'),
    channels: () => goTo('channels'),
    lists: () => goTo('lists'),
    operations: () => goTo('operations'),
  });
  const content = useRef<HTMLElement>(null);
  const address = place.value.join('/');
  const shown = useRef(address);
  // A screen reader announces the new page when its content gets the focus.
  useEffect(() => {
    if (shown.current === address) return;
    shown.current = address;
    content.current?.focus();
  }, [address]);
  return (
    <>
      <header class="top">
        <a class="brand" href={linkTo()}>
          floorwatch
        </a>
        <nav aria-label="Pages">
          {pages.map(({ name, at }) => (
            <a
              key={name}
              href={linkTo(...at)}
              aria-current={first === (at[0] ?? '') ? 'page' : undefined}
            >
              {name}
            </a>
          ))}
        </nav>
        <PaletteButton onHelp={openHelp} />
        <ConnectionStatus />
      </header>
      <main id="content" ref={content} tabIndex={-1}>
        <TroubleNotice />
        <Page />
      </main>
      <Announcements />
      {isHelpOpen && <ShortcutsHelp onClose={() => setHelpOpen(false)} />}
    </>
  );
}
