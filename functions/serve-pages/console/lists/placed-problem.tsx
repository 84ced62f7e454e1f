import type { Problem } from '#shared/http/answer-shapes.ts';

type PlacedProblemProps = {
  readonly problem: Problem | undefined;
  /**
   * The document that was sent, in which the names of its parts are looked up. Undefined if the
   * page created the document.
   */
  readonly text: string | undefined;
};

/** Lists the errors of a rejected document, each with the name of the invalid part. */
export function PlacedProblem({ problem, text }: PlacedProblemProps) {
  if (problem === undefined) return null;
  const errors = problem.errors ?? [];
  return (
    <div class="notice bad" role="alert">
      {errors.length === 0 ? (
        <p>{problem.detail}</p>
      ) : (
        <ul class="placed">
          {errors.map(({ pointer, detail }) => (
            <li key={`${pointer} ${detail}`}>
              <strong>{placeOf(pointer, text)}</strong>: {detail}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

const KINDS: Readonly<Record<string, string>> = {
  contracts: 'collection',
  rules: 'rule',
  channels: 'channel',
};

/** Names the part at a JSON pointer: `/rules/0/threshold` → `rule floor-20, threshold`. */
function placeOf(pointer: string, text: string | undefined): string {
  const [, all = '', index, ...rest] = pointer
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (all === '') return 'the document';
  const kind = KINDS[all];
  if (kind === undefined || index === undefined)
    return [all, index, ...rest].filter(Boolean).join(', ');
  return [`${kind} ${nameOf(text, all, Number(index))}`, ...rest].join(', ');
}

function nameOf(text: string | undefined, all: string, index: number): string {
  const part = partOf(text, all, index);
  if (typeof part === 'string') return part;
  const named = typeof part === 'object' && part !== null ? Object.entries(part) : [];
  const name = ['name', 'id', 'contract']
    .map((member) => named.find(([known]) => known === member)?.[1])
    .find((value) => typeof value === 'string');
  return name ?? `${index + 1}`;
}

function partOf(text: string | undefined, all: string, index: number): unknown {
  try {
    const document: unknown = JSON.parse(text ?? '');
    const parts: unknown = Object.entries(document ?? {}).find(([name]) => name === all)?.[1];
    return Array.isArray(parts) ? parts[index] : undefined;
  } catch {
    return undefined;
  }
}
