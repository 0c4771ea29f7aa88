import { newId } from '../../../src/core/ids.ts'
import { countSynonyms, synonymKey, type SynonymRecord, type SynonymRule } from '../../../src/core/synonyms.ts'
import { tooManySynonyms } from '../../../src/records/errors.ts'
import { decodeCursor, resultPage } from '../../../src/records/result-page.ts'
import type { SavedSynonym, SynonymChange, Synonyms } from '../../../src/records/synonyms.ts'
import type { MemoryStore } from './store.ts'

export function memorySynonyms(store: MemoryStore): Synonyms {
  const ownerOf = (projectId: string) => store.projects.get(projectId)?.ownerId
  const rulesOf = (projectId: string) => store.synonyms.get(projectId) ?? []
  const version = versions()

  function save({ projectId, rules, maxSynonyms }: SynonymChange, existing: readonly SynonymRecord[]) {
    const now = store.now()
    const known = new Map(existing.map((record) => [synonymKey(record), record]))
    const saved = [...new Map(rules.map((rule) => [synonymKey(rule), rule]))].map(([key, rule]) => {
      const record = known.get(key) ?? { id: newId('syn', now), projectId, createdAt: now, ...structuredClone(rule) }
      return { record, isNew: !known.has(key) }
    })
    const added = saved.filter(({ isNew }) => isNew).map(({ record }) => record)
    const others = [...store.synonyms]
      .filter(([id]) => id !== projectId && ownerOf(id) === ownerOf(projectId))
      .flatMap(([, own]) => own)
    const total = [...others, ...existing, ...added].reduce((sum, rule) => sum + countSynonyms(rule), 0)
    if (added.length > 0 && total > maxSynonyms) throw tooManySynonyms(maxSynonyms)
    store.synonyms.set(projectId, [...existing, ...added])
    return saved
  }

  function recordChange(projectId: string, saved: readonly SavedSynonym[], removed: number): void {
    const added = saved.filter(({ isNew }) => isNew).length
    if (added + removed > 0) store.record({ action: 'synonyms.change', projectId, details: { added, removed } })
  }

  return {
    async add(change) {
      if (ownerOf(change.projectId) === undefined) return null
      const saved = save(change, rulesOf(change.projectId))
      recordChange(change.projectId, saved, 0)
      return saved
    },
    async replace(change) {
      if (ownerOf(change.projectId) === undefined) return null
      const wanted = new Set(change.rules.map(synonymKey))
      const staying = rulesOf(change.projectId).filter((rule) => wanted.has(synonymKey(rule)))
      const removed = rulesOf(change.projectId).length - staying.length
      const synonyms = save(change, staying)
      recordChange(change.projectId, synonyms, removed)
      return { synonyms, removed }
    },
    async list(projectId, { limit, cursor }) {
      const after = cursor === undefined ? -1 : decodeCursor(cursor, 'number').value
      const rows = rulesOf(projectId).map((record, position) => ({ record, position }))
      return resultPage(
        rows.filter(({ position }) => position > after),
        limit,
        ({ record, position }) => ({ value: position, id: record.id }),
        ({ record }) => record,
      )
    },
    async delete(projectId, id) {
      const own = rulesOf(projectId)
      if (!own.some((record) => record.id === id)) return false
      store.synonyms.set(
        projectId,
        own.filter((record) => record.id !== id),
      )
      recordChange(projectId, [], 1)
      return true
    },
    async byProject(projects) {
      const toRule = ({ words, expandsTo }: SynonymRecord): SynonymRule => ({ words, expandsTo })
      const own = [...store.synonyms].filter(([id, rules]) => projects.has(id) && rules.length > 0)
      return new Map(own.map(([id, rules]) => [id, rules.map(toRule)]))
    },
    version,
  }
}

/** Callers always have to assume a change. */
function versions(): () => number {
  let asked = 0
  return () => (asked += 1)
}
