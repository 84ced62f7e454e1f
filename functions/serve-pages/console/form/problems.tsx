import { useEffect, useRef } from 'preact/hooks';
import type { Outcome } from '#console/interface/ask.ts';
import { ProblemNotice } from '#console/words/problem-notice.tsx';
import type { Problem } from '#shared/http/answer-shapes.ts';

/** The API error about a member with this JSON pointer (`/threshold`, `/all/1/threshold`). */
export function problemAt(problem: Problem | undefined, pointer: string): string | undefined {
  return problem?.errors?.find((error) => error.pointer === pointer)?.detail;
}

type FormProblemProps = {
  readonly problem: Problem | undefined;
  /** JSON pointers of the fields that show their own errors. */
  readonly beside: readonly string[];
};

/**
 * Shows why the API rejected a form, except for errors that the fields show themselves. Moves the
 * focus to the first field with an error.
 */
export function FormProblem({ problem, beside }: FormProblemProps) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (problem === undefined) return;
    const form = element.current?.closest('form');
    form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [problem]);
  const errors = problem?.errors ?? [];
  const others = errors.filter(({ pointer }) => !beside.includes(pointer));
  const isAllBeside = errors.length > 0 && others.length === 0;
  return (
    <div ref={element}>
      {problem !== undefined && isAllBeside && (
        <p class="notice bad" role="alert">
          Correct the {errors.length === 1 ? 'marked field' : `${errors.length} marked fields`}.
        </p>
      )}
      {problem !== undefined && !isAllBeside && (
        <ProblemNotice problem={{ ...problem, errors: others }} />
      )}
    </div>
  );
}

/**
 * The problem of a request that was rejected or could not be sent. `what` states the consequence,
 * such as "The rule was not saved".
 */
export function problemOf(outcome: Outcome<unknown>, what: string): Problem | undefined {
  if (outcome.kind === 'refused') return outcome.problem;
  return outcome.kind === 'offline' ? offline(what) : undefined;
}

/** The problem of a request that could not be sent. */
export function offline(what: string): Problem {
  return {
    ...{ type: 'about:blank', title: 'Offline', status: 0 },
    detail: `${what}: the server cannot be reached. Check the connection and try again.`,
  };
}
