import { ChoiceField } from '#console/form/fields.tsx';
import { useFollowed } from '#console/interface/follow.ts';
import { linkWith } from '#console/shell/place.ts';
import type { ClauseDraft } from './rule-draft.ts';

type ListOfRuleProps = {
  readonly contract: string;
  readonly list: { readonly id: string; readonly name: string };
  /** The ids of all lists that contain the collection. */
  readonly lists: readonly string[];
  /** The typed condition. The form keeps it when a person chooses another list. */
  readonly begun: Pick<ClauseDraft, 'metric' | 'when' | 'threshold'>;
};

/** Selects the list of a new rule. The channels of this list get the alerts. */
export function ListOfRule({ contract, list, lists, begun }: ListOfRuleProps) {
  const { answer } = useFollowed('GET /v1/watchlists', { query: { limit: '100' } });
  const nameOf = (id: string) =>
    id === list.id ? list.name : (answer?.watchlists.find((one) => one.id === id)?.name ?? id);
  return (
    <ChoiceField
      label="List for this rule"
      value={list.id}
      onValue={(id) => {
        const { metric, when, threshold } = begun;
        const chosen = { metric, when, threshold };
        location.replace(linkWith(chosen, 'collections', contract, 'rules', id, 'new'));
      }}
    >
      {lists.map((id) => (
        <option key={id} value={id}>
          {nameOf(id)}
        </option>
      ))}
    </ChoiceField>
  );
}
