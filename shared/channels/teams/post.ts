import * as z from 'zod';
import type { Chat } from '#shared/channels/post-to-chat.ts';
import { JsonText } from '#shared/domain/json-text.ts';
import { isTeamsUrl, type TeamsBody } from './kind.ts';
import { teamsMessage } from './message.ts';

/**
 * Teams workflows. Each workflow has its own host, but all hosts are in domains of Microsoft, so
 * the workflows can be treated as one service.
 */
export const teamsChat: Chat<Pick<TeamsBody, 'url'>> = {
  requestOf: ({ url }, notification) =>
    isTeamsUrl(url) ? { url, message: teamsMessage(notification) } : undefined,
  problemIn: ({ status, body }) => {
    const code = Problem.safeParse(body).data?.error.code;
    // Teams returns 401 after a signature was replaced or the trigger was restricted.
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

/** Power Automate's error code. */
const Problem = JsonText.pipe(
  z.object({ error: z.object({ code: z.string().regex(/^[A-Z][A-Za-z]{1,60}$/) }) }),
);
