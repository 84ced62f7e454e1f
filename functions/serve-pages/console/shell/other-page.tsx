import { AlertsPage } from '#console/alerts/alerts-page.tsx';
import { ChannelsPage } from '#console/channels/channels-page.tsx';
import { CollectionPage } from '#console/collection/collection-page.tsx';
import { ListPage } from '#console/lists/list-page.tsx';
import { ListsPage } from '#console/lists/lists-page.tsx';
import { OperationsPage } from '#console/operations/operations-page.tsx';
import { RulePage } from '#console/rule/rule-page.tsx';
import { UnknownPlace } from '#console/words/unknown-place.tsx';
import { place } from './place.ts';

/** The page that the address names, if it is not the overview. */
export function OtherPage() {
  const [page, of = '', part, watchlist = '', rule = ''] = place.value;
  switch (`${page} ${place.value.length}`) {
    case 'collections 2':
      return <CollectionPage key={of} contract={of} />;
    case 'collections 5':
      if (part !== 'rules') return <UnknownPage />;
      return <RulePage key={place.value.join('/')} {...{ contract: of, watchlist, rule }} />;
    case 'alerts 1':
      return <AlertsPage />;
    case 'channels 1':
      return <ChannelsPage />;
    case 'lists 1':
      return <ListsPage />;
    case 'lists 2':
      return <ListPage key={of} id={of} />;
    case 'operations 1':
      return <OperationsPage />;
    default:
      return <UnknownPage />;
  }
}

function UnknownPage() {
  return (
    <UnknownPlace title="Page not found">
      The console has no page at “{place.value.join('/')}”.
    </UnknownPlace>
  );
}
