import * as z from 'zod';
import { JsonText } from '#shared/domain/json-text.ts';

const Source = z.enum(['upstream', 'archive', 'upstream-then-archive']);

/** Where each operation of the interface is answered from. */
export const NftDataSources = z.strictObject({ traits: Source, floor: Source, lowest: Source });
export type NftDataSources = z.output<typeof NftDataSources>;

/** The same as an environment variable: JSON. */
export const NftDataSourcesVariable = JsonText.pipe(NftDataSources);
