import { Check, ChoiceField } from '#console/form/fields.tsx';
import type { List } from './audience.tsx';
import type { Draft } from './rule-draft.ts';

type TargetProps = {
  readonly list: List;
  /** The contract of the page, and what it is called. */
  readonly contract: string;
  readonly name: string;
  readonly on: Draft['on'];
  readonly onChange: (on: Draft['on']) => void;
};

/** The collections that a rule is on: this one, some of its list, or any. */
export function Target({ list, contract, name, on, onChange }: TargetProps) {
  const isThis = on !== 'all' && on.length === 1 && on[0] === contract;
  return (
    <ChoiceField
      label="Tell us when"
      value={on === 'all' ? 'all' : isThis ? 'this' : 'some'}
      onValue={(next) =>
        onChange(next === 'all' ? 'all' : next === 'this' ? [contract] : othersWith(list, contract))
      }
    >
      <option value="this">{name}</option>
      {(list.contracts.length > 1 || (on !== 'all' && !isThis)) && (
        <option value="some">some of “{list.name}”</option>
      )}
      <option value="all">any collection of “{list.name}”</option>
    </ChoiceField>
  );
}

/** Which of them, where it is on some. */
export function TargetChoice({ list, contract, name: nameOfThis, on, onChange }: TargetProps) {
  if (on === 'all' || (on.length === 1 && on[0] === contract)) return null;
  return (
    <fieldset class="audience">
      <legend>Collections</legend>
      <div class="row">
        {list.contracts.map(({ contract: key, name }) => (
          <Check
            key={key}
            label={name ?? (key === contract ? nameOfThis : key)}
            checked={on.includes(key)}
            onChecked={(isOn) => onChange(isOn ? [...on, key] : on.filter((one) => one !== key))}
          />
        ))}
      </div>
    </fieldset>
  );
}

/** To begin with all but none: what is not meant is taken off. */
function othersWith({ contracts }: List, contract: string): readonly string[] {
  const others = contracts.map((one) => one.contract).filter((key) => key !== contract);
  return [contract, ...others];
}
