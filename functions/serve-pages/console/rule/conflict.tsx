type ConflictProps = {
  /** The kind of object that was edited, in words. */
  readonly what: 'rule' | 'channel';
  /** The state when the edit began, the edited state, and the state that somebody else saved. */
  readonly before: object;
  readonly mine: object;
  readonly now: object;
  readonly onOverwrite: () => void;
  readonly onDiscard: () => void;
};

/** Shows the differences between two concurrent edits, and lets the person choose one. */
export function Conflict({ what, before, mine, now, onOverwrite, onDiscard }: ConflictProps) {
  const members = new Set([...Object.keys(mine), ...Object.keys(now)]);
  const differing = [...members].filter((name) => notified(mine, name) !== notified(now, name));
  return (
    <div class="notice warning stack" role="alert">
      <p>
        Somebody else changed this {what} while you were editing it. Your changes are not saved yet.
      </p>
      <table class="difference">
        <thead>
          <tr>
            <th scope="col">Setting</th>
            <th scope="col">Before</th>
            <th scope="col">Theirs</th>
            <th scope="col">Yours</th>
          </tr>
        </thead>
        <tbody>
          {differing.map((name) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{notified(before, name)}</td>
              <td>{notified(now, name)}</td>
              <td>{notified(mine, name)}</td>
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

function notified(thing: object, name: string): string {
  const value: unknown = Object.entries(thing).find(([member]) => member === name)?.[1];
  if (value === undefined) return '–';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
