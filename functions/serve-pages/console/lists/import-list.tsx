import { useState } from 'preact/hooks';
import { TextField } from '#console/form/fields.tsx';
import { goTo } from '#console/shell/place.ts';
import { Preview } from './preview.tsx';

type ImportProps = {
  /** The ids of existing lists. */
  readonly lists: readonly string[];
};

/** Imports a list from a file, after a preview of the changes. */
export function ImportList({ lists }: ImportProps) {
  const [text, setText] = useState<string>();
  const [id, setId] = useState('');
  const [isPreviewed, setPreviewed] = useState(false);
  const choose = async (input: HTMLInputElement) => {
    const [file] = input.files ?? [];
    if (file === undefined) return;
    setText(await file.text());
    setId(idFrom(file.name));
    setPreviewed(false);
  };
  const reset = () => {
    setText(undefined);
    setPreviewed(false);
  };
  return (
    <form
      class="panel stack"
      aria-label="Import"
      onSubmit={(event) => {
        event.preventDefault();
        setPreviewed(true);
      }}
    >
      <h2>Import</h2>
      {text === undefined ? (
        <label class="field">
          <span>Exported list (JSON file)</span>
          <input
            type="file"
            accept="application/json,.json"
            onChange={({ currentTarget }) => void choose(currentTarget)}
          />
        </label>
      ) : (
        <>
          <TextField
            label={
              lists.includes(id)
                ? 'List ID (replaces the existing list)'
                : 'List ID (creates a new list)'
            }
            value={id}
            onValue={(typed) => {
              setId(typed.trim());
              setPreviewed(false);
            }}
            isRequired
          />
          {isPreviewed ? (
            <Preview
              watchlist={id}
              text={text}
              names={new Map()}
              deed="Import"
              done={`The list “${id}” was imported.`}
              onDone={() => goTo('lists', id)}
              onCancel={reset}
            />
          ) : (
            <div class="row">
              <button type="submit" class="primary">
                Preview changes
              </button>
              <button type="button" onClick={reset}>
                Cancel
              </button>
            </div>
          )}
        </>
      )}
    </form>
  );
}

/** Derives a list id from a file name: `Apes (1).json` → `apes-1`. */
function idFrom(file: string): string {
  return file
    .replace(/\.[^.]*$/, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 40);
}
