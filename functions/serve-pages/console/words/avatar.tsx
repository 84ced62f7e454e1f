/** Stands for the picture of a collection: its initials on a colour of its own. */
export function Avatar({ of, id }: { readonly of: string; readonly id: string }) {
  const initials = of
    .split(/\s+/)
    .map((word) => [...word][0] ?? '')
    .join('')
    .slice(0, 2)
    .toUpperCase();
  return (
    <span class={`avatar hue-${hueOf(id)}`} aria-hidden="true">
      {initials}
    </span>
  );
}

const HUES = 8;

function hueOf(id: string): number {
  return [...id].reduce((sum, character) => (sum * 31 + character.charCodeAt(0)) % 997, 7) % HUES;
}
