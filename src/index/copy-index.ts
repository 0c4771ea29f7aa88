import type { StoredPassage } from '../core/passage.ts'
import type { PassageIndex, DocumentPassages } from './passage-index.ts'
import { withTerms } from '../text/passage-terms.ts'

/** How many passages to write in one commit. */
const PASSAGES_AT_ONCE = 4_096

interface CopyIndexOptions {
  from: Pick<PassageIndex, 'stored' | 'inventory'>
  to: Pick<PassageIndex, 'put' | 'deleteDocuments' | 'inventory'>
  signal: AbortSignal
  /** Called with the number of passages that the target has. */
  onPassages: (passages: number) => void
}

type Inventory = Awaited<ReturnType<PassageIndex['inventory']>>

/**
 * Copies the passages with their vectors to another index. Skips documents that the target already has, so an interrupted copy can continue.
 * Nothing may change the indexes meanwhile. Returns the number of passages. Throws an error when the indexes differ afterwards, and the reason of the
 * signal.
 */
export async function copyIndex({ from, to, signal, onPassages }: CopyIndexOptions): Promise<number> {
  const wanted = await from.inventory()
  const there = await to.inventory()
  const surplus = [...there.keys()].filter((id) => !wanted.has(id))
  if (surplus.length > 0) await to.deleteDocuments(surplus)
  let copied = sum([...wanted].filter(([id, own]) => isEqual(own, there.get(id))))
  let batch: DocumentPassages[] = []
  let waiting = 0
  const write = async () => {
    if (batch.length === 0) return
    await to.put(batch)
    copied += waiting
    onPassages(copied)
    ;[batch, waiting] = [[], 0]
  }
  for await (const { documentId, passages } of wholeDocuments(from.stored(), wanted, there)) {
    signal.throwIfAborted()
    batch.push({ documentId, isNew: !there.has(documentId), passages: passages.map((passage) => withTerms(passage)) })
    waiting += passages.length
    if (waiting >= PASSAGES_AT_ONCE) await write()
  }
  await write()
  refuseDifference(wanted, await to.inventory())
  return copied
}

/** Yields the documents that the target lacks. The passages of a document may come in several batches. */
async function* wholeDocuments(
  batches: AsyncIterable<readonly StoredPassage[]>,
  wanted: Inventory,
  there: Inventory,
): AsyncGenerator<{ documentId: string; passages: StoredPassage[] }> {
  const begun = new Map<string, StoredPassage[]>()
  for await (const batch of batches) {
    for (const passage of batch) {
      const { documentId, version } = passage
      const own = wanted.get(documentId)
      // A table can have rows that no segment refers to.
      if (own?.version !== version || isEqual(own, there.get(documentId))) continue
      const passages = begun.get(documentId) ?? []
      passages.push(passage)
      begun.set(documentId, passages)
      if (passages.length < own.chunks) continue
      begun.delete(documentId)
      yield { documentId, passages }
    }
  }
}

function refuseDifference(wanted: Inventory, copied: Inventory): void {
  const missing = [...wanted].filter(([id, own]) => !isEqual(own, copied.get(id)))
  if (missing.length === 0 && copied.size === wanted.size) return
  throw new Error(`the copy of the index lacks ${missing.length} of ${wanted.size} documents`)
}

function isEqual(a: { version: number; chunks: number }, b: { version: number; chunks: number } | undefined): boolean {
  return a.version === b?.version && a.chunks === b.chunks
}

function sum(documents: readonly (readonly [string, { chunks: number }])[]): number {
  return documents.reduce((passages, [, { chunks }]) => passages + chunks, 0)
}
