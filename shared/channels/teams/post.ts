import * as z from 'zod';
import type { Chat } from '#shared/channels/post-to-chat.ts';
import { JsonText } from '#shared/domain/json-text.ts';
import { isTeamsUrl, type TeamsBody } from './kind.ts';
import { teamsMessage } from './message.ts';

/**
 * Workflows of Teams. Each has a host of its own, but of domains in which nobody but Microsoft has
 * names: they are asked like a service at one origin.
 */
export const teamsChat: Chat<Pick<TeamsBody, 'url'>> = {
  requestOf: ({ url }, notification) =>
    isTeamsUrl(url) ? { url, message: teamsMessage(notification) } : undefined,
  problemIn: ({ status, body }) => {
    const code = Problem.safeParse(body).data?.error.code;
    // A signature that was replaced, and a trigger that is not for anyone any more, are 401.
    const isGone = status === 401 || (code !== undefined && GONE.includes(code));
    return { code, seconds: undefined, isGone };
  },
};

/** The workflow was deleted or turned off. */
const GONE: readonly string[] = [
  'WorkflowNotFound',
  'WorkflowTriggerIsNotEnabled',
  'WorkflowTriggerVersionNotFound',
];

/** What Power Automate says is wrong, in one word. */
const Problem = JsonText.pipe(
  z.object({ error: z.object({ code: z.string().regex(/^[A-Z][A-Za-z]{1,60}$/) }) }),
);
