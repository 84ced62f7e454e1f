import { useEffect, useRef, useState } from 'preact/hooks';
import { savedViews } from '#console/alerts/saved-views.ts';
import type { Given } from '#console/interface/ask.ts';
import { lastAnswer, useFollowed } from '#console/interface/follow.ts';
import type { Answer, RouteName } from '#console/interface/operations.ts';
import { mayWrite, ownKey } from '#console/interface/own-key.ts';
import { Dialog } from '#console/shell/dialog.tsx';
import { count } from '#console/words/amounts.ts';
import { isFiring } from './act-on-all.ts';
import { Confirmation } from './confirmation.tsx';
import { type ActionOnAll, type Entry, entriesOf, type Known, newRules } from './entries.ts';
import { rank } from './rank.ts';

type PaletteProps = { readonly onClose: () => void; readonly onHelp: () => void };

/** Finds collections, lists, rules, views and pages, and runs actions. */
export function Palette({ onClose, onHelp }: PaletteProps) {
  const [action, setAction] = useState<ActionOnAll>();
  return (
    <Dialog label="Search or run an action" look="palette" onClose={onClose}>
      {action === undefined ? (
        <Search onClose={onClose} onHelp={onHelp} onAct={setAction} />
      ) : (
        <Confirmation action={action} onClose={onClose} />
      )}
    </Dialog>
  );
}

/** Maximum number of results. To find other entries, a person types more letters. */
const MOST_SHOWN = 50;

type SearchProps = PaletteProps & { readonly onAct: (action: ActionOnAll) => void };

function Search({ onClose, onHelp, onAct }: SearchProps) {
  const known = useKnown();
  const [query, setQuery] = useState('');
  const [isNewRule, setNewRule] = useState(false);
  /** The id of the chosen entry. It stays chosen while new answers add entries. */
  const [chosen, setChosen] = useState<string>();
  const listbox = useRef<HTMLDivElement>(null);
  const found = resultsOf(known, query, isNewRule);
  const active = Math.max(
    0,
    found.findIndex(({ id }) => id === chosen),
  );

  useEffect(() => {
    listbox.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [active, query]);

  const ask = (text: string) => {
    setQuery(text);
    setChosen(undefined);
  };
  const run = ({ does }: Entry) => {
    if (does.kind === 'act') return onAct(does.action);
    if (does.kind === 'new rule') {
      ask('');
      return setNewRule(true);
    }
    onClose();
    if (does.kind === 'help') onHelp();
    else location.hash = does.hash;
  };
  const move = (step: number) =>
    setChosen(found[(active + step + found.length) % found.length]?.id);
  const onKey = (event: KeyboardEvent) => {
    const entry = found[active];
    if (event.isComposing) return;
    if (event.key === 'Backspace' && query === '' && isNewRule) setNewRule(false);
    else if (event.key === 'ArrowDown') move(1);
    else if (event.key === 'ArrowUp') move(-1);
    else if (event.key === 'Enter' && !event.repeat && entry !== undefined) run(entry);
    else return;
    event.preventDefault();
  };
  const words = isNewRule ? 'New rule on which collection?' : 'Search, or type an action';
  return (
    <>
      <input
        type="text"
        role="combobox"
        aria-label={words}
        aria-expanded={found.length > 0}
        aria-controls="palette-results"
        aria-autocomplete="list"
        aria-activedescendant={found.length > 0 ? `palette-${active}` : undefined}
        placeholder={words}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        maxLength={100}
        value={query}
        onInput={({ currentTarget }) => ask(currentTarget.value)}
        onKeyDown={onKey}
      />
      {found.length > 0 && (
        <div ref={listbox} id="palette-results" role="listbox" aria-label="Results">
          {found.map((entry, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus, and handles keys
            <div
              key={entry.id}
              id={`palette-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === active}
              onMouseMove={() => setChosen(entry.id)}
              onClick={() => run(entry)}
            >
              <span class="found">{entry.title}</span>
              {entry.detail !== undefined && <span class="quiet small detail">{entry.detail}</span>}
              <span class="quiet small what">{entry.kind}</span>
            </div>
          ))}
        </div>
      )}
      {found.length === 0 && (
        <p class="empty">
          No results for “{query}”. Search for a collection, a list, a rule or an action.
        </p>
      )}
      <p class="unseen" role="status">
        {count(found.length, 'result')}
      </p>
    </>
  );
}

function resultsOf(known: Known, query: string, isNewRule: boolean): readonly Entry[] {
  const rules = known.mayWrite ? newRules(known) : [];
  if (isNewRule) return rank(query, rules).slice(0, MOST_SHOWN);
  // There is a new-rule entry for each collection. Put them last, so that they do not hide other
  // entries with the same words.
  const entries = query.trim() === '' ? entriesOf(known) : [...entriesOf(known), ...rules];
  return rank(query, entries).slice(0, MOST_SHOWN);
}

/**
 * The data to search: the last answers that pages of this tab received, until current ones arrive.
 */
function useKnown(): Known {
  const overview = useAnswer('GET /v1/overview', { query: { limit: '50' } });
  const lists = useAnswer('GET /v1/watchlists', { query: { limit: '100' } });
  const open = useAnswer('GET /v1/episodes', { query: { state: 'open', limit: '50' } });
  return {
    rows: overview?.contracts ?? [],
    lists: lists?.watchlists ?? [],
    views: savedViews(),
    mayWrite: mayWrite(),
    mayRead: ownKey.value?.may.includes('read') === true,
    firing: open?.episodes.filter(isFiring).length ?? 0,
  };
}

function useAnswer<Route extends RouteName>(
  route: Route,
  given: Given<Route>,
): Answer<Route> | undefined {
  const { answer } = useFollowed(route, given);
  return answer ?? lastAnswer(route, given);
}
