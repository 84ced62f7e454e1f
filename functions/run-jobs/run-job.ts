import type { ListMessage } from '#shared/domain/messages/list-message.ts';
import { announceExpiry } from './announce-expiry.ts';
import { applyChange } from './apply-change.ts';
import { escalateEpisode } from './escalate-episode.ts';
import { keepTopic } from './keep-topic.ts';
import { keepWallet } from './keep-wallet.ts';
import type { RunJobsPorts } from './ports.ts';
import { releaseHeld } from './release-held.ts';
import { reportAcknowledgement } from './report-acknowledgement.ts';
import { reportList } from './report-list.ts';

/** Handles one message of a watchlist's actor. */
export async function runJob(ports: RunJobsPorts, message: ListMessage): Promise<void> {
  const list = { tenant: message.tenant, id: message.list };
  switch (message.kind) {
    case 'apply':
      return await applyChange(ports, list);
    case 'topic':
      return await keepTopic(ports, list);
    case 'expiry':
      return await announceExpiry(ports, list, message.rule, message.end);
    case 'unmute':
      return await releaseHeld(ports, list);
    case 'report':
      return await reportList(ports, list);
    case 'wallet':
      return await keepWallet(ports, list);
    case 'acknowledgement':
      return await reportAcknowledgement(ports, message);
    case 'escalation':
      return await escalateEpisode(ports, message);
  }
}
