import { ownMember } from '#shared/domain/own-member.ts';
import type { Cadences } from '#shared/domain/polling/cadences.ts';
import type { Pace } from '#shared/domain/polling/pace.ts';

type CadencePorts = {
  readonly getCadences: () => Promise<Cadences>;
  readonly configuredCadenceMinutes: number;
};

/**
 * The poll interval of a tenant's contracts. Some contracts may be polled more often for other
 * tenants.
 */
export async function paceOfTenant(ports: CadencePorts, tenant: string): Promise<Pace> {
  const { stretched } = await ports.getCadences();
  return ownMember(stretched, tenant) ?? { minutes: ports.configuredCadenceMinutes };
}
