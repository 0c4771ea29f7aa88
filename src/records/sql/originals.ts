import type { DocumentWarning, OriginalDamage } from '../../core/model.ts'
import { damageWarning, withoutDamageWarning } from '../rules.ts'
import type { Originals, ScrubProgress } from '../originals.ts'
import { slices } from './store.ts'
import type { Store, WriteTransaction } from './store.ts'

const PROGRESS = 'scrub_progress'

export function createOriginals(store: Store): Originals {
  return { ...createLists(store), ...createDamage(store), ...createProgress(store) }
}

function createLists({ db }: Store): Pick<Originals, 'list' | 'totals'> {
  const all = () =>
    db
      .selectFrom('documents')
      .select(['sha256', 'size_bytes'])
      .union(db.selectFrom('trash').select(['sha256', 'size_bytes']))

  return {
    async list({ after, limit }) {
      const part = (table: 'documents' | 'trash') =>
        db
          .selectFrom(table)
          .select(['sha256', 'size_bytes'])
          .distinct()
          .where('sha256', '>', after ?? '')
          .orderBy('sha256')
          .limit(limit)
      const [documents, trash] = [await part('documents').execute(), await part('trash').execute()]
      const sizes = new Map([...documents, ...trash].map((row) => [row.sha256, Number(row.size_bytes)]))
      return [...sizes]
        .map(([sha256, sizeBytes]) => ({ sha256, sizeBytes }))
        .toSorted((a, b) => (a.sha256 < b.sha256 ? -1 : 1))
        .slice(0, limit)
    },
    async totals() {
      const row = await db
        .selectFrom(all().as('originals'))
        .select((e) => [
          e.fn.countAll<number>().as('originals'),
          e.fn.coalesce(e.fn.sum<number>('size_bytes'), e.lit(0)).as('bytes'),
        ])
        .executeTakeFirstOrThrow()
      return { originals: Number(row.originals), bytes: Number(row.bytes) }
    },
  }
}

function createDamage(store: Store): Pick<Originals, 'damaged' | 'damagedAmong' | 'markDamaged' | 'markIntact'> {
  const { db, now } = store
  return {
    async damaged() {
      const rows = await db
        .selectFrom('damaged_originals')
        .selectAll()
        .where((e) =>
          e.or([
            e.exists(e.selectFrom('documents').select('id').whereRef('documents.sha256', '=', 'damaged_originals.sha256')),
            e.exists(e.selectFrom('trash').select('id').whereRef('trash.sha256', '=', 'damaged_originals.sha256')),
          ]),
        )
        .orderBy('sha256')
        .execute()
      return rows.map(({ sha256, damage, found_at }) => ({ sha256, damage, foundAt: new Date(found_at) }))
    },
    async damagedAmong(sha256s) {
      const found = new Set<string>()
      for (const part of slices(sha256s)) {
        const rows = await db.selectFrom('damaged_originals').select('sha256').where('sha256', 'in', part).execute()
        for (const { sha256 } of rows) found.add(sha256)
      }
      return found
    },
    markDamaged: (sha256, damage) => store.write((tx) => markDamaged(tx, sha256, damage, now())),
    async markIntact(sha256) {
      const marked = await db.selectFrom('damaged_originals').select('sha256').where('sha256', '=', sha256).executeTakeFirst()
      if (marked === undefined) return
      await store.write(async (tx) => {
        await tx.sql.deleteFrom('damaged_originals').where('sha256', '=', sha256).execute()
        await changeWarnings(tx, sha256, withoutDamageWarning)
      })
    },
  }
}

function createProgress(store: Store): Pick<Originals, 'progress' | 'saveProgress'> {
  const { db } = store
  return {
    async progress() {
      const row = await db.selectFrom('settings').select('value').where('name', '=', PROGRESS).executeTakeFirst()
      if (row === undefined) return null
      const { started_at, finished_at, after, checked } = JSON.parse(row.value) as StoredProgress
      return {
        startedAt: new Date(started_at),
        after,
        checked,
        finishedAt: finished_at === null ? null : new Date(finished_at),
      }
    },
    async saveProgress(progress) {
      const value = JSON.stringify(toStored(progress))
      await store.writeStep((tx) =>
        tx.sql
          .insertInto('settings')
          .values({ name: PROGRESS, value })
          .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
          .execute(),
      )
    },
  }
}

interface StoredProgress {
  started_at: number
  after: string | null
  checked: number
  finished_at: number | null
}

function toStored({ startedAt, after, checked, finishedAt }: ScrubProgress): StoredProgress {
  return { started_at: startedAt.getTime(), after, checked, finished_at: finishedAt?.getTime() ?? null }
}

async function markDamaged(tx: WriteTransaction, sha256: string, damage: OriginalDamage, foundAt: number): Promise<void> {
  await tx.sql
    .insertInto('damaged_originals')
    .values({ sha256, damage, found_at: foundAt })
    .onConflict((conflict) => conflict.column('sha256').doUpdateSet({ damage }))
    .execute()
  await changeWarnings(tx, sha256, (warnings) => [...withoutDamageWarning(warnings), damageWarning(damage)])
}

/** Changes the warnings of the documents with an original. */
async function changeWarnings(
  { sql }: WriteTransaction,
  sha256: string,
  change: (warnings: DocumentWarning[]) => DocumentWarning[],
): Promise<void> {
  const documents = await sql.selectFrom('documents').select(['id', 'warnings']).where('sha256', '=', sha256).execute()
  for (const { id, warnings } of documents) {
    const changed = JSON.stringify(change(JSON.parse(warnings) as DocumentWarning[]))
    if (changed !== warnings) await sql.updateTable('documents').set({ warnings: changed }).where('id', '=', id).execute()
  }
}
