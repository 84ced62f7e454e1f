import * as z from 'zod';
import { JsonText } from '#shared/domain/json-text.ts';

const Source = z.enum(['upstream', 'archive', 'upstream-then-archive']);

/** For each operation of the v2.2 interface, the source of its answers. */
export const NftDataSources = z.strictObject({ traits: Source, floor: Source, lowest: Source });
export type NftDataSources = z.output<typeof NftDataSources>;

/** The sources as an environment variable in JSON. */
export const NftDataSourcesVariable = JsonText.pipe(NftDataSources);
