/** What is wrong with a member of a list, as only the stack can tell. */
export type MemberIssue = { readonly path: readonly (string | number)[]; readonly message: string };

/** Thrown when a list cannot be stored as it is written; nothing was sealed. */
export class RefusedMembersError extends Error {
  override readonly name = 'RefusedMembersError';
  readonly code = 'members_refused';
  readonly issues: readonly MemberIssue[];

  constructor(issues: readonly MemberIssue[]) {
    super('the list cannot be stored as it is written');
    this.issues = issues;
  }
}
