import * as z from 'zod';
import { ConfirmationLink } from '#shared/domain/channels/confirmation-link.ts';

export const ConfirmationBody = z.strictObject({ link: ConfirmationLink });
export type ConfirmationBody = z.output<typeof ConfirmationBody>;
