import type { Cadences } from '#shared/domain/polling/cadences.ts';

type CadencePorts = {
  readonly getCadences: () => Promise<Cadences>;
  readonly configuredCadenceMinutes: number;
};

/** Minutes between two polls of a tenant's contracts; others may have some of them polled more often. */
export async function cadenceOf(ports: CadencePorts, tenant: string): Promise<number> {
  const { stretched } = await ports.getCadences();
  return stretched[tenant] ?? ports.configuredCadenceMinutes;
}
