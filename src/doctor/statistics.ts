import { countOf } from '../core/count-of.ts'
import { finding, repaired } from '../core/findings.ts'
import { namesOf } from './originals.ts'
import { NO_DATABASE, type Check, type Scene } from './scene.ts'

const TABLES = {
  document_counts: 'documents of projects',
  folder_counts: 'documents of folders',
  usage: 'usage of users',
  queue_turns: 'waiting documents of users',
} as const

/** Compares what the database stores about documents with the documents and their texts. */
export const checkStatistics: Check = async (scene) => {
  const { inspection, add, wantsFix, repairs } = scene
  if (inspection === null) return NO_DATABASE
  for (const { table, rows } of await inspection.wrongCounts()) {
    const found = finding('counts_wrong', `${countOf(rows, 'number')} of the ${TABLES[table]} differ from the documents.`, {
      place: table,
    })
    if (wantsFix) {
      await repairs().recount()
      repaired(found, 'Counted again.')
    }
    add(found)
  }
  const words = await inspection.wrongWords()
  if (words > 0) {
    const found = finding(
      'vocabulary_wrong',
      `${countOf(words, 'word')} of the vocabularies differ from the words of the documents.`,
    )
    if (wantsFix) {
      await repairs().recountWords()
      repaired(found, 'Counted the words again.')
    }
    add(found)
  }
  await checkTexts(scene)
  return { message: 'Counts, vocabularies and stored texts.' }
}

/** Finds missing texts, and texts that differ from their checksums. */
async function checkTexts({ inspection, originals, wantsFix, records, add }: Scene): Promise<void> {
  const faults = [
    { code: 'text_missing', documents: await inspection!.withoutText(), message: 'The database lacks text of' },
    { code: 'text_damaged', documents: await inspection!.withDamagedText(), message: 'The database has a damaged text of' },
  ] as const
  const all = faults.flatMap(({ documents, ...fault }) => documents.map((document) => ({ ...fault, ...document })))
  for (const { code, message, sha256, projectId, ...document } of all) {
    const found = finding(code, `${message} ${namesOf([document])}.`, { documents: [document] })
    // Reading the document again replaces what is left of the text, so the original must be whole.
    if (wantsFix && (await originals.verify({ sha256, sizeBytes: 0 })) === null) {
      await (await records()).documents.requeue(new Set([projectId]), document.id)
      repaired(found, 'Queued the document again.')
    }
    add(found)
  }
}
