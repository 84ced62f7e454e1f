import { signal } from '@preact/signals';

const said = signal('');

/** Shows the result of an action for eight seconds, and announces it to screen readers. */
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
