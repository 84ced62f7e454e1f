import { useEffect, useRef, useState } from 'preact/hooks';
import { TextField } from '#console/form/fields.tsx';
import { announce } from '#console/shell/announcements.tsx';
import type { EpisodeFilter } from './episode-filters.tsx';
import {
  deleteView,
  isEmpty,
  isSameFilter,
  LONGEST_NAME,
  linkToView,
  savedViews,
  saveView,
} from './saved-views.ts';

/** The saved views as chips, and a form to save the current filter. */
export function ViewChips({ filter }: { readonly filter: EpisodeFilter }) {
  const [isNaming, setNaming] = useState(false);
  const views = savedViews();
  const isSaved = views.some((view) => isSameFilter(view.filter, filter));
  const canSave = !isSaved && !isEmpty(filter);
  if (views.length === 0 && !canSave) return null;
  return (
    <div class="row views">
      {views.length > 0 && (
        <ul class="row" aria-label="Saved views">
          {views.map((view) => (
            <li key={view.name} class="chip">
              <a
                href={linkToView(view.filter)}
                aria-current={isSameFilter(view.filter, filter) ? 'true' : undefined}
              >
                {view.name}
              </a>
              <button
                type="button"
                class="plain"
                aria-label={`Delete the view “${view.name}”`}
                onClick={() => {
                  deleteView(view.name);
                  announce(`The view “${view.name}” was deleted.`);
                }}
              >
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
      {canSave && !isNaming && (
        <button type="button" class="plain" onClick={() => setNaming(true)}>
          Save this view
        </button>
      )}
      {canSave && isNaming && <NameOfView filter={filter} onClose={() => setNaming(false)} />}
    </div>
  );
}

type NameProps = { readonly filter: EpisodeFilter; readonly onClose: () => void };

function NameOfView({ filter, onClose }: NameProps) {
  const [typed, setTyped] = useState('');
  const name = typed.trim();
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector('input')?.focus(), []);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (name === '') return;
    saveView({ name, filter });
    announce(`The view “${name}” was saved in this browser.`);
    onClose();
  };
  return (
    <form ref={form} class="row name-of-view" onSubmit={submit}>
      <TextField
        label="View name"
        placeholder="Critical alerts for the desk"
        value={typed}
        onValue={setTyped}
        longest={LONGEST_NAME}
        isRequired
      />
      <div class="row at-end">
        <button type="submit" class="primary">
          Save
        </button>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </form>
  );
}
