import { useState } from 'preact/hooks';
import { DecimalField, decimalIn } from '#console/form/decimals.tsx';
import { ChoiceField, NameField, NumberField } from '#console/form/fields.tsx';
import { FormProblem, problemAt, problemOf } from '#console/form/problems.tsx';
import { ask, type Outcome } from '#console/interface/ask.ts';
import { amount as amountOf, whole } from '#console/words/amounts.ts';
import { collectionName } from '#console/words/collection-name.ts';
import { isRatio } from '#shared/domain/market/derived-key.ts';
import type { Problem } from '#shared/http/answer-shapes.ts';
import type { ReadList } from './list-page.tsx';

type Member = ReadList['contracts'][number];

type MemberFormProps = {
  readonly list: ReadList;
  readonly member: Member;
  readonly onSaved: (outcome: Outcome<unknown>) => void;
  readonly onCancel: () => void;
};

/**
 * Edits the name that messages use for a collection, and the number and cost of the tokens held.
 */
export function MemberForm({ list, member, onSaved, onCancel }: MemberFormProps) {
  const { contract, cost } = member;
  const isCompared = isRatio(contract);
  const [name, setName] = useState(member.name ?? '');
  const [amount, setAmount] = useState(member.amount === undefined ? '' : `${member.amount}`);
  const [price, setPrice] = useState(cost?.price ?? '');
  const [unit, setUnit] = useState(cost?.unit === 'usd' ? 'usd' : '');
  const [problem, setProblem] = useState<Problem>();

  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    const outcome = await ask('PUT /v1/watchlists/{watchlist}/contracts/{contract}', {
      ...{ path: { watchlist: list.id, contract }, ifMatch: `"${list.revision}"` },
      body: {
        ...(name.trim() === '' ? {} : { name: name.trim() }),
        ...(amount.trim() === '' ? {} : { amount: Number(amount) }),
        ...(price.trim() === ''
          ? {}
          : { cost: { price: decimalIn(price) ?? price, ...(unit === '' ? {} : { unit }) } }),
      },
    });
    setProblem(problemOf(outcome, 'The collection was not changed'));
    if (outcome.kind === 'answered') onSaved(outcome);
  };

  return (
    <form
      class="stack"
      aria-label={`Edit ${collectionName(member, list.contracts)}`}
      onSubmit={(event) => void save(event)}
    >
      <NameField
        label="Name in messages"
        hint={`Leave empty to use the ${isCompared ? 'names of the collections' : 'name on the marketplace'}.`}
        value={name}
        onValue={setName}
        problem={problemAt(problem, '/name')}
      />
      {!isCompared && (
        <div class="row">
          <NumberField
            label="Tokens held"
            placeholder="1"
            value={amount}
            onValue={setAmount}
            problem={problemAt(problem, '/amount')}
          />
          <DecimalField
            label="Cost per token"
            placeholder="none"
            value={price}
            onValue={setPrice}
            problem={problemAt(problem, '/cost/price') ?? problemAt(problem, '/cost')}
          />
          <ChoiceField label="Currency" value={unit} onValue={setUnit}>
            <option value="">Chain currency</option>
            <option value="usd">US dollars</option>
          </ChoiceField>
        </div>
      )}
      <FormProblem problem={problem} beside={['/name', '/amount', '/cost/price', '/cost']} />
      <div class="row">
        <button type="submit" class="primary">
          Save
        </button>
        <button type="button" class="plain" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}

/** The number and cost of the tokens held, as text. Empty if both are unknown. */
export function holdingText({ amount, cost }: Member): string {
  return [
    ...(amount === undefined ? [] : [`${whole(amount)} held`]),
    ...(cost === undefined ? [] : [`cost ${amountOf(cost.price, cost.unit)} each`]),
  ].join(' · ');
}
