import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, BillingMode, ProjectionType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { type Conditions, type IGrantable, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { DUE_INDEX, LOCAL_INDEXES, TABLE_KEY, TTL_ATTRIBUTE } from './table-schema.ts';

export type WatchTableProps = {
  /** Whether the table outlives the stack. */
  readonly retainsData: boolean;
  /** Whether deletion protection is on. */
  readonly isProtected: boolean;
  /** An existing table to use instead of a new one; setup manages its settings. */
  readonly existing: string | undefined;
};

/** The allowed operations on items, by pattern of the partition key. */
export type ItemRights = Readonly<Record<string, readonly ItemOperation[]>>;
type ItemOperation = 'GetItem' | 'BatchGetItem' | 'PutItem' | 'DeleteItem' | 'Query';

/**
 * All data of the product in one table with on-demand capacity. Local indexes sort the watches by
 * threshold or by timer; one sparse global index holds all items with timers.
 */
export class WatchTable extends Construct {
  readonly tableName: string;
  readonly tableArn: string;

  constructor(scope: Construct, id: string, props: WatchTableProps) {
    super(scope, id);
    const { tableName, tableArn } =
      props.existing === undefined
        ? ownTable(this, props)
        : Table.fromTableName(this, 'Existing', props.existing);
    this.tableName = tableName;
    this.tableArn = tableArn;
  }

  /** Allows operations on items whose partition key matches (`WATCHES#*`), and on no others. */
  grantItems(grantee: IGrantable, rights: ItemRights): void {
    for (const [partition, operations] of Object.entries(rights)) {
      allow(grantee, operations, this.tableArn, onlyPartition(partition));
    }
  }

  /** Allows queries of the local indexes of the watches: both threshold indexes and `wakes`. */
  grantLocalIndexes(grantee: IGrantable): void {
    for (const index of LOCAL_INDEXES) {
      allow(grantee, ['Query'], `${this.tableArn}/index/${index}`, onlyPartition('WATCHES#*'));
    }
  }

  /** Allows queries of all timers: the index holds only their keys and times. */
  grantDueIndex(grantee: IGrantable): void {
    allow(grantee, ['Query'], `${this.tableArn}/index/due`);
  }
}

/**
 * The construct id `Default` adds nothing to the logical id, so the logical id is that of the
 * parent construct.
 */
function ownTable(scope: Construct, { retainsData, isProtected }: WatchTableProps): Table {
  const table = new Table(scope, 'Default', {
    partitionKey: { name: TABLE_KEY[0], type: AttributeType.STRING },
    sortKey: { name: TABLE_KEY[1], type: AttributeType.STRING },
    billingMode: BillingMode.PAY_PER_REQUEST,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    timeToLiveAttribute: TTL_ATTRIBUTE,
    // If the deployment that creates the table fails, CloudFormation deletes the table, which is
    // still empty.
    removalPolicy: retainsData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
    deletionProtection: isProtected,
  });
  for (const index of LOCAL_INDEXES) {
    table.addLocalSecondaryIndex({
      indexName: index,
      sortKey: { name: index, type: AttributeType.STRING },
      projectionType: ProjectionType.KEYS_ONLY,
    });
  }
  table.addGlobalSecondaryIndex({
    indexName: DUE_INDEX.name,
    partitionKey: { name: DUE_INDEX.key[0], type: AttributeType.STRING },
    sortKey: { name: DUE_INDEX.key[1], type: AttributeType.NUMBER },
    projectionType: ProjectionType.KEYS_ONLY,
  });
  return table;
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
