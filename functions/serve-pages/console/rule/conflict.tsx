import type { ReadRule, Rule, RuleBody } from './rules.ts';

type ConflictProps = {
  /** The rule as it was when the edit began, as it is meant to be, and as somebody else left it. */
  readonly before: Rule;
  readonly mine: Partial<RuleBody>;
  readonly now: ReadRule;
  readonly onOverwrite: () => void;
  readonly onDiscard: () => void;
};

/** Shows what differs where a rule was changed by somebody else meanwhile. */
export function Conflict({ before, mine, now, onOverwrite, onDiscard }: ConflictProps) {
  const edited = { ...before, ...mine };
  const members = new Set([...Object.keys(edited), ...Object.keys(now.rule)]);
  const differing = [...members].filter((name) => told(edited, name) !== told(now.rule, name));
  return (
    <div class="notice warning stack" role="alert">
      <p>Somebody else changed this rule while you edited it. Nothing is saved yet.</p>
      <table class="difference">
        <thead>
          <tr>
            <th scope="col">Member</th>
            <th scope="col">It was</th>
            <th scope="col">Now</th>
            <th scope="col">Yours</th>
          </tr>
        </thead>
        <tbody>
          {differing.map((name) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{told(before, name)}</td>
              <td>{told(now.rule, name)}</td>
              <td>{told(edited, name)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <div class="row">
        <button type="button" onClick={onOverwrite}>
          Save mine
        </button>
        <button type="button" onClick={onDiscard}>
          Keep theirs
        </button>
      </div>
    </div>
  );
}

function told(rule: object, name: string): string {
  const value: unknown = Object.entries(rule).find(([member]) => member === name)?.[1];
  if (value === undefined) return '–';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
