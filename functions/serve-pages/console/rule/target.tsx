import { Check, ChoiceField } from '#console/form/fields.tsx';
import { collectionName } from '#console/words/collection-name.ts';
import { isListValue, isRatio } from '#shared/domain/market/derived-key.ts';
import type { List } from './audience.tsx';
import type { Draft } from './rule-draft.ts';

type TargetProps = {
  readonly list: List;
  /** The contract of the page, and its name. */
  readonly contract: string;
  readonly name: string;
  readonly on: Draft['on'];
  readonly onChange: (on: Draft['on']) => void;
};

/** Selects the collections of a rule: this one, some of the list, or any. */
export function Target({ list, contract, name, on, onChange }: TargetProps) {
  if (isListValue(contract)) return <p>Alert when the value of “{list.name}”</p>;
  // A rule cannot apply to both collections and comparisons.
  const isMixed = list.contracts.some((one) => isRatio(one.contract));
  const isThis = on !== 'all' && on.length === 1 && on[0] === contract;
  return (
    <ChoiceField
      label="Alert when"
      value={on === 'all' ? 'all' : isThis ? 'this' : 'some'}
      onValue={(next) =>
        onChange(next === 'all' ? 'all' : next === 'this' ? [contract] : othersWith(list, contract))
      }
    >
      <option value="this">{name}</option>
      {(alike(list, contract).length > 1 || (on !== 'all' && !isThis)) && (
        <option value="some">some collections in “{list.name}”</option>
      )}
      {(!isMixed || on === 'all') && <option value="all">any collection in “{list.name}”</option>}
    </ChoiceField>
  );
}

/** Selects the collections of a rule that applies to some collections of the list. */
export function TargetChoice({ list, contract, name: nameOfThis, on, onChange }: TargetProps) {
  if (on === 'all' || (on.length === 1 && on[0] === contract)) return null;
  const others = list.contracts.filter((one) => on.includes(one.contract));
  const offered = new Set([...alike(list, contract), ...others]);
  return (
    <fieldset class="audience">
      <legend>Collections</legend>
      <div class="row">
        {[...offered].map(({ contract: key, name }) => (
          <Check
            key={key}
            label={
              name ??
              (key === contract ? nameOfThis : collectionName({ contract: key }, list.contracts))
            }
            checked={on.includes(key)}
            onChecked={(isOn) => onChange(isOn ? [...on, key] : on.filter((one) => one !== key))}
          />
        ))}
      </div>
    </fieldset>
  );
}

/**
 * The initial selection for "some collections": all collections of the list, beginning with this
 * one.
 */
function othersWith(list: List, contract: string): readonly string[] {
  const others = alike(list, contract)
    .map((one) => one.contract)
    .filter((key) => key !== contract);
  return [contract, ...others];
}

/**
 * The members of a list to which one rule can apply: the collections or, for a comparison, the
 * comparisons.
 */
function alike({ contracts }: List, contract: string): List['contracts'] {
  return contracts.filter((one) => isRatio(one.contract) === isRatio(contract));
}
