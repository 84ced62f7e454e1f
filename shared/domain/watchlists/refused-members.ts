/** An issue of a list member that only a stack can find, not the schema. */
export type MemberIssue = { readonly path: readonly (string | number)[]; readonly message: string };

/** Thrown if a list cannot be stored as people wrote it. No secret was sealed. */
export class RefusedMembersError extends Error {
  override readonly name = 'RefusedMembersError';
  readonly code = 'members_refused';
  readonly issues: readonly MemberIssue[];

  constructor(issues: readonly MemberIssue[]) {
    super('the list has members that cannot be stored');
    this.issues = issues;
  }
}
