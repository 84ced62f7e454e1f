type ConflictProps = {
  /** What was edited, in a word. */
  readonly what: 'rule' | 'channel';
  /** As it was when the edit began, as it is meant to be, and as somebody else left it. */
  readonly before: object;
  readonly mine: object;
  readonly now: object;
  readonly onOverwrite: () => void;
  readonly onDiscard: () => void;
};

/** Shows what differs where somebody else made another change meanwhile. */
export function Conflict({ what, before, mine, now, onOverwrite, onDiscard }: ConflictProps) {
  const members = new Set([...Object.keys(mine), ...Object.keys(now)]);
  const differing = [...members].filter((name) => told(mine, name) !== told(now, name));
  return (
    <div class="notice warning stack" role="alert">
      <p>Somebody else changed this {what} while you edited it. Nothing is saved yet.</p>
      <table class="difference">
        <thead>
          <tr>
            <th scope="col">Member</th>
            <th scope="col">It was</th>
            <th scope="col">Now</th>
            <th scope="col">Yours</th>
          </tr>
        </thead>
        <tbody>
          {differing.map((name) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{told(before, name)}</td>
              <td>{told(now, name)}</td>
              <td>{told(mine, name)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <div class="row">
        <button type="button" onClick={onOverwrite}>
          Save mine
        </button>
        <button type="button" onClick={onDiscard}>
          Keep theirs
        </button>
      </div>
    </div>
  );
}

function told(thing: object, name: string): string {
  const value: unknown = Object.entries(thing).find(([member]) => member === name)?.[1];
  if (value === undefined) return '–';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
