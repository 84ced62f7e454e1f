import { signal } from '@preact/signals';

const said = signal('');

/** Says what came of an action: on the screen for a while, and to a screen reader. */
export function announce(text: string): void {
  said.value = text;
  setTimeout(() => {
    if (said.value === text) said.value = '';
  }, 8000);
}

export function Announcements() {
  return (
    <div class="announcements" role="status" aria-live="polite">
      {said.value !== '' && <p>{said.value}</p>}
    </div>
  );
}
