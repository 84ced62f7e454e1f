import { useEffect, useRef } from 'preact/hooks';
import type { Outcome } from '#console/interface/ask.ts';
import { ProblemNotice } from '#console/words/problem-notice.tsx';
import type { Problem } from '#shared/http/answer-shapes.ts';

/** What the interface says of a member, by its pointer (`/threshold`, `/all/1/threshold`). */
export function problemAt(problem: Problem | undefined, pointer: string): string | undefined {
  return problem?.errors?.find((error) => error.pointer === pointer)?.detail;
}

type FormProblemProps = {
  readonly problem: Problem | undefined;
  /** The pointers whose problems stand beside their fields. */
  readonly beside: readonly string[];
};

/**
 * Why a form was not taken, but for what stands beside its fields; the first of those is focused.
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

/** Why an answer is none: it was refused, or nothing could be asked. */
export function problemOf(outcome: Outcome<unknown>, what: string): Problem | undefined {
  if (outcome.kind === 'refused') return outcome.problem;
  return outcome.kind === 'offline' ? offline(what) : undefined;
}

/** The interface cannot be reached. */
export function offline(what: string): Problem {
  return {
    ...{ type: 'about:blank', title: 'Offline', status: 0 },
    detail: `${what}: the interface cannot be reached. Try again when it is back.`,
  };
}
