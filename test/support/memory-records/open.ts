import type { Clock } from '../../../src/core/clock.ts'
import type { Records } from '../../../src/records/records.ts'
import { memoryAudit } from './audit.ts'
import { memoryBackups } from './backups.ts'
import { memoryDocuments } from './documents.ts'
import { memoryEvents } from './events.ts'
import { memoryIndexes } from './indexes.ts'
import { memoryKeys } from './keys.ts'
import { memoryLinks } from './links.ts'
import { memoryMembers } from './members.ts'
import { memoryMessages } from './messages.ts'
import { memoryOAuth } from './oauth.ts'
import { memoryOriginals } from './originals.ts'
import { memoryProjects } from './projects.ts'
import { memoryQueue } from './queue.ts'
import { memorySavedSearches } from './saved-searches.ts'
import { memorySessions } from './sessions.ts'
import { MemoryStore } from './store.ts'
import { memorySynonyms } from './synonyms.ts'
import { memoryTrash } from './trash.ts'
import { memoryUsers } from './users.ts'
import { memoryVocabulary } from './vocabulary.ts'
import { memoryWebhooks } from './webhooks.ts'

/** Opens empty records in memory. They pass the same conformance suite as the records in SQLite. */
export function openMemoryRecords(clock: Clock): Records {
  const store = new MemoryStore(clock)
  let asked = 0
  return {
    users: memoryUsers(store),
    links: memoryLinks(store),
    sessions: memorySessions(store),
    keys: memoryKeys(store),
    oauth: memoryOAuth(store),
    projects: memoryProjects(store),
    members: memoryMembers(store),
    documents: memoryDocuments(store),
    trash: memoryTrash(store),
    messages: memoryMessages(store),
    originals: memoryOriginals(store),
    queue: memoryQueue(store),
    events: memoryEvents(store),
    audit: memoryAudit(store),
    indexes: memoryIndexes(store),
    vocabulary: memoryVocabulary(store),
    synonyms: memorySynonyms(store),
    savedSearches: memorySavedSearches(store),
    webhooks: memoryWebhooks(store),
    backups: memoryBackups(store),
    // Callers always have to assume a change.
    credentialsVersion: () => (asked += 1),
    check: async () => ({ ok: true, message: 'The records are in memory.' }),
    close: async () => {},
  }
}
