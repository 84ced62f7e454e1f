import { expectTypeOf, it } from 'vitest';
import type { FamilyName } from '#shared/domain/metrics/metric.ts';
import type { OracleClause } from './oracle/rule.ts';

it('the oracle has a separate formula for each family of metrics', () => {
  // The families are compared here, because the oracle imports nothing from the product.
  expectTypeOf<OracleClause['family']>().toEqualTypeOf<FamilyName>();
});
