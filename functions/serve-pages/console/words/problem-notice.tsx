import type { Problem } from '#shared/http/answer-shapes.ts';

/** Shows why a request was rejected, in the words of the API. */
export function ProblemNotice({ problem }: { readonly problem: Problem | undefined }) {
  if (problem === undefined) return null;
  const errors = problem.errors ?? [];
  return (
    <div class="notice bad" role="alert">
      <p>{problem.detail}</p>
      {errors.length > 1 && (
        <ul>
          {errors.map(({ pointer, detail }) => (
            <li key={pointer}>
              <code>{pointer}</code> {detail}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
