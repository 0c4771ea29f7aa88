import { newId } from '../../core/ids.ts'
import { countSynonyms, synonymKey, type SynonymRecord, type SynonymRule } from '../../core/synonyms.ts'
import { tooManySynonyms } from '../errors.ts'
import { decodeCursor, resultPage } from '../result-page.ts'
import type { SavedSynonym, SynonymChange, Synonyms } from '../synonyms.ts'
import { isOneOf } from './project-ids.ts'
import { slices, type Store, type WriteTransaction } from './store.ts'
import type { SynonymRow } from './tables.ts'

export function createSynonyms(store: Store, version: Synonyms['version']): Synonyms {
  const { db } = store
  return {
    add: (change) =>
      store.write(async (tx) => {
        const ownerId = await ownerOf(tx, change)
        if (ownerId === null) return null
        const synonyms = await insert(tx, { ...change, ownerId }, store.clock.now())
        await recordChange(tx, change.projectId, synonyms, 0)
        return synonyms
      }),
    replace: (change) =>
      store.write(async (tx) => {
        const ownerId = await ownerOf(tx, change)
        if (ownerId === null) return null
        const removed = await removeOthers(tx, change)
        const synonyms = await insert(tx, { ...change, ownerId }, store.clock.now())
        await recordChange(tx, change.projectId, synonyms, removed)
        return { synonyms, removed }
      }),
    async list(projectId, { limit, cursor }) {
      let query = db.selectFrom('synonyms').selectAll().where('project_id', '=', projectId)
      if (cursor !== undefined) query = query.where('position', '>', decodeCursor(cursor, 'number').value)
      const rows = await query
        .orderBy('position')
        .limit(limit + 1)
        .execute()
      return resultPage(rows, limit, ({ position, id }) => ({ value: position, id }), toRecord)
    },
    delete: (projectId, id) =>
      store.write(async (tx) => {
        const query = tx.sql.deleteFrom('synonyms').where('id', '=', id).where('project_id', '=', projectId)
        const removed = (await query.returning('id').execute()).length
        await recordChange(tx, projectId, [], removed)
        return removed > 0
      }),
    async byProject(projects) {
      const query = db.selectFrom('synonyms').select(['project_id', 'words', 'expands_to']).where(isOneOf('project_id', projects))
      const rows = await query.orderBy('project_id').orderBy('position').execute()
      const byProject = Map.groupBy(rows, (row) => row.project_id)
      return new Map([...byProject].map(([id, own]) => [id, own.map(toRule)]))
    },
    version,
  }
}

/** Records how many rules were added and removed, but not their words. */
async function recordChange(
  tx: WriteTransaction,
  projectId: string,
  saved: readonly SavedSynonym[],
  removed: number,
): Promise<void> {
  const added = saved.filter(({ isNew }) => isNew).length
  if (added + removed > 0) await tx.record({ action: 'synonyms.change', projectId, details: { added, removed } })
}

async function ownerOf({ sql }: WriteTransaction, { projectId }: SynonymChange): Promise<string | null> {
  const query = sql.selectFrom('projects').select('owner_id').where('id', '=', projectId)
  return (await query.executeTakeFirst())?.owner_id ?? null
}

/** Deletes the rules of the project that are not among the given ones. Returns how many. */
async function removeOthers({ sql }: WriteTransaction, { projectId, rules }: SynonymChange): Promise<number> {
  const wanted = new Set(rules.map(synonymKey))
  const rows = await sql.selectFrom('synonyms').select(['id', 'rule_key']).where('project_id', '=', projectId).execute()
  const others = rows.filter((row) => !wanted.has(row.rule_key)).map(({ id }) => id)
  for (const part of slices(others)) await sql.deleteFrom('synonyms').where('id', 'in', part).execute()
  return others.length
}

/** Inserts the rules that the project lacks. */
async function insert(
  tx: WriteTransaction,
  { ownerId, projectId, rules, maxSynonyms }: SynonymChange & { ownerId: string },
  now: Date,
): Promise<SavedSynonym[]> {
  const { sql } = tx
  const byKey = new Map(rules.map((rule) => [synonymKey(rule), rule]))
  const rows = await sql.selectFrom('synonyms').selectAll().where('project_id', '=', projectId).execute()
  const existing = new Map(rows.map((row) => [row.rule_key, row]))
  const last = Math.max(0, ...[...rows.values()].map(({ position }) => position))
  const added = [...byKey]
    .filter(([key]) => !existing.has(key))
    .map(([key, rule], i): SynonymRow => ({
      id: newId('syn', now),
      project_id: projectId,
      owner_id: ownerId,
      position: last + 1 + i,
      rule_key: key,
      words: JSON.stringify(rule.words),
      expands_to: rule.expandsTo && JSON.stringify(rule.expandsTo),
      size: countSynonyms(rule),
      created_at: now.getTime(),
    }))
  if (added.length > 0) await requireRoom(tx, { ownerId, added, maxSynonyms })
  for (const part of slices(added, 9)) await sql.insertInto('synonyms').values(part).execute()
  const all = new Map([...existing, ...added.map((row) => [row.rule_key, row] as const)])
  return [...byKey.keys()].map((key) => ({ record: toRecord(all.get(key)!), isNew: !existing.has(key) }))
}

async function requireRoom(
  { sql }: WriteTransaction,
  { ownerId, added, maxSynonyms }: { ownerId: string; added: readonly SynonymRow[]; maxSynonyms: number },
): Promise<void> {
  const ofOwner = sql.selectFrom('synonyms').where('owner_id', '=', ownerId)
  const { used } = await ofOwner.select((e) => e.fn.sum<number | null>('size').as('used')).executeTakeFirstOrThrow()
  const total = added.reduce((sum, { size }) => sum + size, Number(used ?? 0))
  if (total > maxSynonyms) throw tooManySynonyms(maxSynonyms)
}

function toRule({ words, expands_to: expandsTo }: Pick<SynonymRow, 'words' | 'expands_to'>): SynonymRule {
  return { words: JSON.parse(words) as string[], expandsTo: expandsTo === null ? null : (JSON.parse(expandsTo) as string[]) }
}

function toRecord(row: SynonymRow): SynonymRecord {
  return { id: row.id, projectId: row.project_id, createdAt: new Date(row.created_at), ...toRule(row) }
}
