import * as z from 'zod';

/** Which alerts of the tenants the operators get, beside those about channels. */
export const OperatorAlerts = z.enum(['none', 'critical', 'all']);
export type OperatorAlerts = z.output<typeof OperatorAlerts>;
