import { useState } from 'preact/hooks';
import { ChoiceField, NameField } from '#console/form/fields.tsx';
import { FormProblem, problemAt, problemOf } from '#console/form/problems.tsx';
import { ask } from '#console/interface/ask.ts';
import { refreshAll } from '#console/interface/follow.ts';
import { announce } from '#console/shell/announcements.tsx';
import { linkTo } from '#console/shell/place.ts';
import { collectionName } from '#console/words/collection-name.ts';
import { ruleName } from '#console/words/rule-name.ts';
import { isRatio } from '#shared/domain/market/derived-key.ts';
import type { Problem } from '#shared/http/answer-shapes.ts';
import type { ReadList } from './list-page.tsx';

type CompareProps = { readonly list: ReadList };

/** Adds a comparison: the floor of a member divided by the average floor of one or more others. */
export function CompareCollections({ list }: CompareProps) {
  // The floor of tokens with certain traits cannot be compared.
  const members = list.contracts.filter(
    ({ contract }) => !isRatio(contract) && !contract.includes('?'),
  );
  const [first] = members;
  if (first === undefined || members.length < 2) return null;
  const onAll = list.rules.filter(({ on }) => on === '*');
  return (
    <details>
      <summary>Compare with…</summary>
      {onAll.length === 0 ? (
        <CompareForm {...{ list, members }} />
      ) : (
        <p class="notice warning">
          A list with comparisons cannot have rules on “any collection”, because comparisons have
          their own metrics. To add a comparison, first choose specific collections for these rules:{' '}
          {onAll.map((rule, index) => (
            <span key={rule.id}>
              {index > 0 && ', '}
              <a href={linkTo('collections', first.contract, 'rules', list.id, rule.id)}>
                {ruleName({ ...(rule.all?.[0] ?? rule), label: rule.label })}
              </a>
            </span>
          ))}
          .
        </p>
      )}
    </details>
  );
}

const MOST = 4;
const BESIDE = ['/contract', '/of', '/name'];

function CompareForm({
  list,
  members,
}: CompareProps & { readonly members: ReadList['contracts'] }) {
  const [chosen, setChosen] = useState('');
  const [others, setOthers] = useState<readonly string[]>([]);
  const [name, setName] = useState('');
  const [problem, setProblem] = useState<Problem>();
  const [isBusy, setBusy] = useState(false);
  const key = [chosen, ...others].join('~');
  const wrong = (pointer: string) => problemAt(problem, pointer);
  const isFree = (contract: string) => contract !== chosen && !others.includes(contract);
  const change = (compared: string, of: readonly string[]) => {
    setChosen(compared);
    setOthers(of.filter((other) => other !== '' && other !== compared));
    setProblem(undefined);
  };

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setBusy(true);
    const called = name.trim();
    const outcome = await ask('POST /v1/watchlists/{watchlist}/contracts', {
      path: { watchlist: list.id },
      body: { contract: chosen, of: [...others], ...(called === '' ? {} : { name: called }) },
    });
    setBusy(false);
    setProblem(inWords(problemOf(outcome, 'The comparison was not added')));
    if (outcome.kind !== 'answered') return;
    announce(`${collectionName(outcome.answer.contract, members)} was added.`);
    change('', []);
    setName('');
    refreshAll();
  };

  return (
    <form class="stack" onSubmit={(event) => void submit(event)}>
      <p class="quiet small">
        A comparison divides the floor of one collection by the floor of another, or by the average
        floor of up to {MOST} others. A rule on a comparison sends an alert when this ratio rises or
        falls to a threshold.
      </p>
      <div class="sentence fields">
        <ChoiceField
          label="Collection"
          value={chosen}
          onValue={(contract) => change(contract, others)}
          problem={wrong('/contract')}
        >
          <option value="">Choose…</option>
          {members.map((member) => (
            <option key={member.contract} value={member.contract}>
              {collectionName(member)}
            </option>
          ))}
        </ChoiceField>
        {[...others, ''].slice(0, MOST).map((other, index) => (
          <ChoiceField
            key={index}
            label={index === 0 ? 'Compared with' : `Also compared with (${index + 1} of ${MOST})`}
            value={other}
            onValue={(contract) =>
              change(chosen, [...others.slice(0, index), contract, ...others.slice(index + 1)])
            }
            problem={index === 0 ? wrong('/of') : undefined}
          >
            <option value="">{index === 0 ? 'Choose…' : 'None'}</option>
            {members
              .filter(({ contract }) => contract === other || isFree(contract))
              .map((member) => (
                <option key={member.contract} value={member.contract}>
                  {collectionName(member)}
                </option>
              ))}
          </ChoiceField>
        ))}
      </div>
      <div class="row">
        <NameField
          label="Name of the comparison in messages"
          placeholder={
            chosen !== '' && others.length > 0
              ? collectionName({ contract: key }, members)
              : undefined
          }
          value={name}
          onValue={setName}
          problem={wrong('/name')}
        />
        <button
          type="submit"
          class="at-end"
          disabled={isBusy || chosen === '' || others.length === 0}
        >
          Add comparison
        </button>
      </div>
      <FormProblem problem={problem} beside={BESIDE} />
    </form>
  );
}

const WORDS: readonly (readonly [pattern: RegExp, words: string])[] = [
  [
    /this one is already in the list/,
    'The list already has this comparison. Choose other collections.',
  ],
  [/^expected one to/, `Choose 1 to ${MOST} other collections, without traits.`],
  [
    /^expected the compared contracts to be members/,
    'One of these collections was removed from the list. Choose another one.',
  ],
  [
    /expected a metric that each contract of the rule supports/,
    'The list has a rule on “any collection”. First choose specific collections for that rule.',
  ],
];

/**
 * Translates an API error into the words of the form. General errors appear at the first choice.
 */
function inWords(problem: Problem | undefined): Problem | undefined {
  if (problem?.errors === undefined) return problem;
  const errors = problem.errors.map(({ pointer, detail }) => ({
    pointer: pointer === '' ? '/of' : pointer.replace(/^\/of\/\d+$/, '/of'),
    detail: WORDS.find(([pattern]) => pattern.test(detail))?.[1] ?? detail,
  }));
  return { ...problem, errors };
}
