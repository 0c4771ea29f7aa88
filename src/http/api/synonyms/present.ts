import type { Synonym, SynonymsSaved } from '../../../contract/synonyms.ts'
import type { SynonymRecord } from '../../../core/synonyms.ts'

export function presentSynonym({ id, words, expandsTo, createdAt }: SynonymRecord): Synonym {
  return { id, words: [...words], expands_to: expandsTo && [...expandsTo], created_at: createdAt.toISOString() }
}

export function presentSaved(saved: readonly { record: SynonymRecord; isNew: boolean }[], removed = 0): SynonymsSaved {
  return {
    synonyms: saved.map(({ record, isNew }) => ({ ...presentSynonym(record), outcome: isNew ? 'created' : 'unchanged' })),
    removed,
  }
}
