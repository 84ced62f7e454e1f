import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, BillingMode, ProjectionType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { type Conditions, type IGrantable, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

export type WatchTableProps = {
  /** Whether it outlives the stack and refuses to be deleted. */
  readonly retainsData: boolean;
};

/** By pattern of partition key, the operations allowed on such items. */
export type ItemRights = Readonly<Record<string, readonly ItemOperation[]>>;
type ItemOperation = 'GetItem' | 'BatchGetItem' | 'PutItem' | 'DeleteItem' | 'Query';

const thresholdIndexes = ['falling', 'rising'] as const;

/**
 * Everything that the product remembers: one table, on demand. Two local indexes
 * are the threshold indexes of the watches, one sparse global index holds what has a timer.
 */
export class WatchTable extends Table {
  constructor(scope: Construct, id: string, { retainsData }: WatchTableProps) {
    super(scope, id, {
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      sortKey: { name: 'sk', type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      timeToLiveAttribute: 'ttl',
      removalPolicy: retainsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
      deletionProtection: retainsData,
    });
    for (const thresholdIndex of thresholdIndexes) {
      this.addLocalSecondaryIndex({
        indexName: thresholdIndex,
        sortKey: { name: thresholdIndex, type: AttributeType.STRING },
        projectionType: ProjectionType.KEYS_ONLY,
      });
    }
    this.addGlobalSecondaryIndex({
      indexName: 'due',
      partitionKey: { name: 'dueShard', type: AttributeType.STRING },
      sortKey: { name: 'dueAt', type: AttributeType.NUMBER },
      projectionType: ProjectionType.KEYS_ONLY,
    });
  }

  /** Allows operations on items by their partition key (`WATCHES#*`), and nothing on others. */
  grantItems(grantee: IGrantable, rights: ItemRights): void {
    for (const [partition, operations] of Object.entries(rights)) {
      allow(grantee, operations, this.tableArn, onlyPartition(partition));
    }
  }

  /** Allows reading both threshold indexes of the watches. */
  grantThresholdIndexes(grantee: IGrantable): void {
    for (const thresholdIndex of thresholdIndexes) {
      allow(
        grantee,
        ['Query'],
        `${this.tableArn}/index/${thresholdIndex}`,
        onlyPartition('WATCHES#*'),
      );
    }
  }

  /** Allows reading all timers: the index holds nothing but their keys and times. */
  grantDueIndex(grantee: IGrantable): void {
    allow(grantee, ['Query'], `${this.tableArn}/index/due`);
  }
}

function onlyPartition(pattern: string) {
  return { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [pattern] } };
}

function allow(
  grantee: IGrantable,
  operations: readonly ItemOperation[],
  resource: string,
  conditions: Conditions = {},
): void {
  grantee.grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({
      actions: operations.map((operation) => `dynamodb:${operation}`),
      resources: [resource],
      conditions,
    }),
  );
}
