import { Dialog } from '#console/shell/dialog.tsx';
import { keyInWords, SHORTCUTS } from './shortcuts.ts';
import { isMac, setSingleKeys, usesSingleKeys } from './use-shortcuts.ts';

const PLACES = ['Everywhere', 'Alerts'] as const;

/** Lists the keyboard shortcuts, with a switch that turns off single-key shortcuts. */
export function ShortcutsHelp({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog label="Keyboard shortcuts" look="help" onClose={onClose}>
      <div class="row spread">
        <h2>Keyboard shortcuts</h2>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
      <div class="shortcuts">
        {PLACES.map((place) => (
          <section key={place} aria-label={place}>
            <h3>{place}</h3>
            <dl>
              {SHORTCUTS.filter(({ where }) => where === place).map(({ id, keys, words }) => (
                <div key={id}>
                  <dt>
                    {keys.map((alternative, index) => (
                      <span key={alternative}>
                        {index > 0 && ' or '}
                        {keyInWords(alternative, isMac)
                          .split(' ')
                          .map((key) => (
                            <kbd key={key}>{key}</kbd>
                          ))}
                      </span>
                    ))}
                  </dt>
                  <dd>{words}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <label class="check">
        <input
          type="checkbox"
          checked={usesSingleKeys.value}
          onChange={({ currentTarget }) => setSingleKeys(currentTarget.checked)}
        />
        Use single-key shortcuts on this device
      </label>
    </Dialog>
  );
}
