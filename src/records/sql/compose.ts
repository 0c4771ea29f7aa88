import { sql } from 'kysely'
import { isDocsearchError } from '../../core/errors.ts'
import type { Records } from '../records.ts'
import { createAudit } from './audit.ts'
import { createBackups } from './backups.ts'
import { createDocuments } from './documents.ts'
import { createEvents } from './events.ts'
import { createIndexes } from './indexes.ts'
import { createKeys, createSessions, createOneTimeLinks } from './credentials.ts'
import { createMembers } from './members.ts'
import { createMessages } from './messages.ts'
import { createOAuthRecords } from './oauth.ts'
import { createOriginals } from './originals.ts'
import { createProjects } from './projects.ts'
import { createQueue } from './queue.ts'
import { createSavedSearches } from './saved-searches.ts'
import type { Store } from './store.ts'
import { createSynonyms } from './synonyms.ts'
import { createTrash } from './trash.ts'
import { createUsers } from './users.ts'
import { createVocabulary } from './vocabulary.ts'
import { createWebhooks } from './webhooks.ts'

/** Makes the records of any database. */
export function composeRecords(
  store: Store,
  {
    credentialsVersion,
    synonymsVersion,
    close,
  }: Pick<Records, 'credentialsVersion' | 'close'> & { synonymsVersion: Records['synonyms']['version'] },
): Records {
  return {
    users: createUsers(store),
    links: createOneTimeLinks(store),
    sessions: createSessions(store),
    keys: createKeys(store),
    oauth: createOAuthRecords(store),
    projects: createProjects(store),
    members: createMembers(store),
    documents: createDocuments(store),
    trash: createTrash(store),
    messages: createMessages(store),
    originals: createOriginals(store),
    queue: createQueue(store),
    events: createEvents(store),
    audit: createAudit(store),
    indexes: createIndexes(store),
    vocabulary: createVocabulary(store),
    synonyms: createSynonyms(store, synonymsVersion),
    savedSearches: createSavedSearches(store),
    webhooks: createWebhooks(store),
    backups: createBackups(store),
    credentialsVersion,
    check: () => check(store),
    close,
  }
}

async function check({ db }: Store): ReturnType<Records['check']> {
  try {
    await db.transaction().execute(async (tx) => {
      await sql`select count(*) from kysely_migration`.execute(tx)
      await tx.updateTable('users').set({ name: '' }).where('id', '=', '').execute()
    })
    return { ok: true, message: 'The database can be read and written.' }
  } catch (error) {
    return { ok: false, message: isDocsearchError(error) ? error.message : 'The database could not be read or written.' }
  }
}
