import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { OverviewPage } from '#console/overview/overview-page.tsx';
import { Loading } from '#console/words/loading.tsx';
import { place } from './place.ts';

/** All pages except the overview are in one file, which is loaded after the overview. */
const loaded = signal<{ readonly Page: ComponentType } | 'not yet' | 'lost'>('not yet');
/** Milliseconds until the other pages are loaded, so that they do not delay the overview. */
const BEHIND = 2000;

/** The page that the address names. */
export function Page() {
  useEffect(() => {
    const timer = setTimeout(() => void loadOthers(), BEHIND);
    return () => clearTimeout(timer);
  }, []);
  return place.value.length === 0 ? <OverviewPage /> : <Other />;
}

function Other() {
  useEffect(() => {
    const load = () => void loadOthers();
    load();
    window.addEventListener('online', load);
    return () => window.removeEventListener('online', load);
  }, []);
  if (loaded.value === 'not yet') return <Loading />;
  if (loaded.value === 'lost') {
    return (
      <div class="notice bad row spread" role="alert">
        <p>
          This page could not be loaded: there is no connection, or the console has been updated.
        </p>
        <span class="row">
          <button type="button" onClick={() => void loadOthers()}>
            Try again
          </button>
          <button type="button" onClick={() => location.reload()}>
            Reload the console
          </button>
        </span>
      </div>
    );
  }
  return <loaded.value.Page />;
}

async function loadOthers(): Promise<void> {
  try {
    const { OtherPage } = await import('./other-page.tsx');
    loaded.value = { Page: OtherPage };
  } catch {
    loaded.value = 'lost';
  }
}
