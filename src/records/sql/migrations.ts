import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { Migrator } from 'kysely/migration'
import type { Migration } from 'kysely/migration'
import { killPoint } from '../../core/kill-point.ts'
import { access } from './migration-access.ts'
import { accounts } from './migration-accounts.ts'
import { audit } from './migration-audit.ts'
import { backups } from './migration-backups.ts'
import { checksums } from './migration-checksums.ts'
import { counts } from './migration-counts.ts'
import { events } from './migration-events.ts'
import { folders } from './migration-folders.ts'
import { limits } from './migration-limits.ts'
import { mail } from './migration-mail.ts'
import { members } from './migration-members.ts'
import { models } from './migration-models.ts'
import { originals } from './migration-originals.ts'
import { quotas } from './migration-quotas.ts'
import { registrations } from './migration-registrations.ts'
import { savedSearches } from './migration-saved-searches.ts'
import { successors } from './migration-successors.ts'
import { synonyms } from './migration-synonyms.ts'
import { trash } from './migration-trash.ts'
import { turns } from './migration-turns.ts'
import { vocabulary } from './migration-vocabulary.ts'
import { webhooks } from './migration-webhooks.ts'
import { words } from './migration-words.ts'

/**
 * In order of their names. Never change a migration that was released: add another one.
 *
 * On PostgreSQL, processes of the last release keep working while a process of this version migrates, and afterwards. So a migration only
 * adds:
 *
 * - Add tables, indexes, and columns that are nullable or have a default. Don't drop, rename or narrow anything that the last release
 *   uses. A later release may do so, once no supported version uses it. `test/servers/records-additive.test.ts` compares the tables.
 * - A column of `documents` is also a column of `trash`, because rows move between these tables.
 * - A trigger or function that you replace must still do what the last release relies on.
 * - Write new values of a closed set (a status, an error code, the type of an event) only if the last release can read them.
 * - Writes, and reads of the tables that a migration alters, wait until it has committed. So fill large tables afterwards, in steps.
 */
export const MIGRATIONS: Record<string, Migration> = {
  '0001_initial': { up: initial },
  '0002_accounts': { up: accounts },
  '0003_warnings': { up: warnings },
  '0004_vocabulary': { up: vocabulary },
  '0005_models': { up: models },
  '0006_counts': { up: counts },
  '0007_turns': { up: turns },
  '0008_quotas': { up: quotas },
  '0009_events': { up: events },
  '0010_limits': { up: limits },
  '0011_words': { up: words },
  '0012_synonyms': { up: synonyms },
  '0013_members': { up: members },
  '0014_access': { up: access },
  '0016_audit': { up: audit },
  '0017_trash': { up: trash },
  '0018_folders': { up: folders },
  '0019_saved_searches': { up: savedSearches },
  '0020_successors': { up: successors },
  '0021_registrations': { up: registrations },
  '0022_webhooks': { up: webhooks },
  '0023_originals': { up: originals },
  '0024_backups': { up: backups },
  '0025_checksums': { up: checksums },
  '0027_mail': { up: mail },
}

/** Few documents have warnings, and there is a list of these documents. */
async function warnings(db: Kysely<never>): Promise<void> {
  const documents = db.schema.createIndex('documents_with_warnings').on('documents')
  await documents
    .columns(['owner_id', 'created_at', 'id'])
    .where(sql<boolean>`warnings <> '[]'`)
    .execute()
}

async function initial(db: Kysely<never>): Promise<void> {
  const { schema } = db
  await schema
    .createTable('users')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('email', 'text', (c) => c.unique())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('role', 'text', (c) => c.notNull())
    .addColumn('password_hash', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute()
  await schema
    .createTable('setup_tokens')
    .addColumn('sha256', 'text', (c) => c.primaryKey())
    .addColumn('user_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .addColumn('used_at', 'bigint')
    .execute()
  await schema
    .createTable('api_keys')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('owner_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('sha256', 'text', (c) => c.notNull().unique())
    .addColumn('last_four', 'text', (c) => c.notNull())
    .addColumn('scopes', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('last_used_at', 'bigint')
    .addColumn('expires_at', 'bigint')
    .execute()
  await schema.createIndex('api_keys_by_owner').on('api_keys').columns(['owner_id', 'created_at', 'id']).execute()
  await schema
    .createTable('projects')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('owner_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('description', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addUniqueConstraint('projects_name_is_unique', ['owner_id', 'name'])
    .execute()
  await documents(db)
  await derived(db)
}

async function documents({ schema }: Kysely<never>): Promise<void> {
  await schema
    .createTable('documents')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('owner_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('project_id', 'text', (c) => c.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('name_folded', 'text', (c) => c.notNull())
    .addColumn('path', 'text', (c) => c.notNull())
    .addColumn('media_type', 'text', (c) => c.notNull())
    .addColumn('size_bytes', 'bigint', (c) => c.notNull())
    .addColumn('sha256', 'text', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull().check(sql`status in ('queued', 'processing', 'ready', 'failed')`))
    .addColumn('version', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addColumn('ready_at', 'bigint')
    .addColumn('page_count', 'integer')
    .addColumn('chunk_count', 'integer')
    .addColumn('embedding_model', 'text')
    .addColumn('error_code', 'text')
    .addColumn('error_message', 'text')
    .addColumn('warnings', 'text', (c) => c.notNull())
    .addColumn('health', 'text', (c) => c.notNull())
    .addColumn('title', 'text')
    .addColumn('tags', 'text', (c) => c.notNull())
    .addColumn('parse', 'text', (c) => c.notNull())
    .addColumn('attempts', 'integer', (c) => c.notNull())
    .addColumn('queued_at', 'bigint', (c) => c.notNull())
    .addColumn('not_before', 'bigint')
    .addColumn('pages_version', 'integer')
    .addColumn('indexed', 'integer', (c) => c.notNull())
    .addUniqueConstraint('documents_path_is_unique', ['project_id', 'path'])
    .execute()
  const index = (name: string, columns: string[]) => schema.createIndex(name).on('documents').columns(columns).execute()
  await index('documents_newest', ['owner_id', 'created_at', 'id'])
  await index('documents_newest_in_project', ['project_id', 'created_at', 'id'])
  await index('documents_by_hash', ['sha256'])
  await index('documents_queue', ['status', 'attempts', 'queued_at', 'id'])
  await index('documents_by_status', ['owner_id', 'status', 'created_at', 'id'])
  // Covers the counts of a project, so that counting reads no row.
  await index('documents_counts', ['project_id', 'status', 'chunk_count', 'size_bytes'])
}

async function derived({ schema }: Kysely<never>): Promise<void> {
  await schema
    .createTable('pages')
    .addColumn('document_id', 'text', (c) => c.notNull().references('documents.id').onDelete('cascade'))
    .addColumn('number', 'integer', (c) => c.notNull())
    .addColumn('text', 'text', (c) => c.notNull())
    .addColumn('blocks', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('pages_key', ['document_id', 'number'])
    .execute()
  await schema
    .createTable('tombstones')
    .addColumn('document_id', 'text', (c) => c.primaryKey())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute()
  await schema
    .createTable('events')
    // Autoincrement never uses an id twice. Otherwise a listener that resumes would miss an event.
    .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('owner_id', 'text', (c) => c.notNull())
    .addColumn('document_id', 'text', (c) => c.notNull())
    .addColumn('project_id', 'text', (c) => c.notNull())
    .addColumn('type', 'text', (c) => c.notNull())
    .addColumn('data', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute()
  await schema.createIndex('events_by_owner').on('events').columns(['owner_id', 'id']).execute()
  await schema
    .createTable('generations')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('fingerprint', 'text', (c) => c.notNull())
    .addColumn('embedding_model', 'text', (c) => c.notNull())
    .addColumn('dimensions', 'integer', (c) => c.notNull())
    .addColumn('active', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute()
}

/**
 * Brings the tables to this version, in one transaction: a migration that is killed changes nothing. Returns how many migrations it has applied.
 */
export async function migrate<T>(db: Kysely<T>, migrations = MIGRATIONS): Promise<number> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => withKillPoints(migrations) } })
  const { error, results = [] } = await migrator.migrateToLatest()
  if (error !== undefined) throw error as Error
  killPoint('upgraded')
  return results.length
}

function withKillPoints(migrations: Readonly<Record<string, Migration>>): Record<string, Migration> {
  const passing = (up: Migration['up']): Migration['up'] => {
    return async (db) => {
      await up(db)
      killPoint('upgrade-step')
    }
  }
  return Object.fromEntries(Object.entries(migrations).map(([name, { up }]) => [name, { up: passing(up) }]))
}
