import * as z from 'zod';

/** The alerts of tenants that operators get, in addition to alerts about channels. */
export const OperatorAlerts = z.enum(['none', 'critical', 'all']);
export type OperatorAlerts = z.output<typeof OperatorAlerts>;
