import { AlertsPage } from '#console/alerts/alerts-page.tsx';
import { ChannelsPage } from '#console/channels/channels-page.tsx';
import { CollectionPage } from '#console/collection/collection-page.tsx';
import { ListPage } from '#console/lists/list-page.tsx';
import { ListsPage } from '#console/lists/lists-page.tsx';
import { OperationsPage } from '#console/operations/operations-page.tsx';
import { OverviewPage } from '#console/overview/overview-page.tsx';
import { RulePage } from '#console/rule/rule-page.tsx';
import { place } from './place.ts';

/** The page of an address that names one. */
export function OtherPage() {
  const [page = '', of = '', part, watchlist = '', rule = ''] = place.value;
  switch (page) {
    case 'collections':
      return part === 'rules' ? (
        <RulePage key={place.value.join('/')} {...{ contract: of, watchlist, rule }} />
      ) : (
        <CollectionPage key={of} contract={of} />
      );
    case 'alerts':
      return <AlertsPage />;
    case 'channels':
      return <ChannelsPage />;
    case 'lists':
      return of === '' ? <ListsPage /> : <ListPage key={of} id={of} />;
    case 'operations':
      return <OperationsPage />;
    default:
      return <OverviewPage />;
  }
}
