import type { AlertStore } from '#shared/stores/alert-store.ts';
import type { WatchlistStore } from '#shared/stores/watchlist-store.ts';
import type { AcknowledgePorts, OpenEpisodePorts } from '#shared/use-cases/acknowledge-episode.ts';
import type { ChangeChannelPorts } from '#shared/use-cases/change-channel.ts';
import type { ChangeMutesPorts } from '#shared/use-cases/change-mutes.ts';
import type { WantTopicPorts } from '#shared/use-cases/want-topic.ts';

/** The ports for links in messages. The signed link determines the tenant. */
export type ActOnAlertPorts = OpenEpisodePorts<string> &
  AcknowledgePorts<string> &
  ChangeMutesPorts<string> &
  ChangeChannelPorts &
  WantTopicPorts & {
    readonly getWatchlist: WatchlistStore['get'];
    /** Reads the key that signs links in messages. */
    readonly readKey: () => Promise<string>;
    readonly getAlert: AlertStore['getPosted'];
  };
