import type { Answer } from '#console/interface/operations.ts';
import { collectionName } from '#console/words/collection-name.ts';

export type Differences = NonNullable<Answer<'GET /v1/changes/{change}'>['differences']>;
type Difference = Differences[number];

type DifferencesProps = {
  readonly differences: Differences;
  /** The names of collections, by contract. */
  readonly names: ReadonlyMap<string, string>;
};

/** Lists the differences between two versions of a list, one line for each member. */
export function DifferencesInWords({ differences, names }: DifferencesProps) {
  if (differences.length === 0) return <p class="quiet small">No differences.</p>;
  return (
    <ul class="differences">
      {differences.map((difference) => {
        const { part, name, how, members } = difference;
        return (
          <li key={`${part} ${name}`} class={how}>
            <p>
              <span class="how">{how}</span> {titleOf(difference, names)}
            </p>
            <ul>
              {members.map(({ member, before, after }) => (
                <li key={member}>
                  <span class="quiet">{spaced(member)}</span>{' '}
                  {before !== null && <del>{shown(before)}</del>}
                  {before !== null && after !== null && (
                    <>
                      {' '}
                      <span aria-hidden="true">→</span>{' '}
                    </>
                  )}
                  {after !== null && (
                    <ins>{shown(after) === shown(before) ? 'another secret' : shown(after)}</ins>
                  )}
                </li>
              ))}
            </ul>
          </li>
        );
      })}
    </ul>
  );
}

function titleOf({ part, name, members }: Difference, names: ReadonlyMap<string, string>): string {
  if (name === null) return 'the list';
  if (part !== 'contract') return `${part} ${name}`;
  const called = members.find(({ member }) => member === 'name');
  return collectionName({
    contract: name,
    name: called?.after ?? called?.before ?? names.get(name),
  });
}

/** Splits a member name into words: `notifyRecovery` → `notify recovery`. */
function spaced(member: string): string {
  return member.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

const KEPT = 'a secret';

/** Replaces the placeholder of a secret with words. */
function shown(text: string | null): string | undefined {
  return text?.replaceAll(/kept:[0-9a-f]{8}/g, KEPT);
}
