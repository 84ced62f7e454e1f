import type { AlertStore } from '#shared/stores/alert-store.ts';
import type { WatchlistStore } from '#shared/stores/watchlist-store.ts';
import type { AcknowledgePorts, OpenEpisodePorts } from '#shared/use-cases/acknowledge-episode.ts';
import type { ChangeChannelPorts } from '#shared/use-cases/change-channel.ts';
import type { ChangeMutesPorts } from '#shared/use-cases/change-mutes.ts';
import type { WantTopicPorts } from '#shared/use-cases/want-topic.ts';

/** The ports of the links in messages. The tenant is that of the link, which this stack has signed. */
export type ActOnAlertPorts = OpenEpisodePorts<string> &
  AcknowledgePorts<string> &
  ChangeMutesPorts<string> &
  ChangeChannelPorts &
  WantTopicPorts & {
    readonly getWatchlist: WatchlistStore['get'];
    /** The key that addresses in messages are signed with. */
    readonly readKey: () => Promise<string>;
    readonly getAlert: AlertStore['getPosted'];
  };
