import type { Document } from '../../../contract/documents.ts'
import type { HashedFile } from '../../files/hash.ts'

export type RemoteDocument = Pick<Document, 'id' | 'path' | 'name' | 'sha256' | 'status'>

/** What makes the documents of a project match a folder. */
export interface SyncPlan {
  /** Files without a document. */
  new: HashedFile[]
  /** Files whose document has other bytes. */
  changed: HashedFile[]
  /** Files without a document that have the same bytes as a document without a file. */
  renamed: Rename[]
  /** Documents without a file. */
  gone: RemoteDocument[]
  /** Documents that match. */
  unchanged: RemoteDocument[]
}

export interface Rename {
  document: RemoteDocument
  file: HashedFile
}

/**
 * Compares a folder with the documents of a project. A document for which `isKept` returns true is never gone: its file was left out, or
 * could not be looked at. Everything in the plan is in the order of the paths.
 */
export function planSync(
  files: readonly HashedFile[],
  documents: readonly RemoteDocument[],
  isKept: (path: string) => boolean,
): SyncPlan {
  const plan: SyncPlan = { new: [], changed: [], renamed: [], gone: [], unchanged: [] }
  const byPath = new Map(documents.map((document) => [document.path, document]))
  const paths = new Set(files.map(({ path }) => path))
  const missing = documents.filter(({ path }) => !paths.has(path) && !isKept(path)).sort(byPathOrder)
  const bySha = Map.groupBy(missing, ({ sha256 }) => sha256)
  for (const file of files.toSorted(byPathOrder)) {
    const document = byPath.get(file.path)
    if (document !== undefined) {
      if (document.sha256 === file.sha256) plan.unchanged.push(document)
      else plan.changed.push(file)
      continue
    }
    const earlier = takeEarlier(bySha.get(file.sha256), file)
    if (earlier === null) plan.new.push(file)
    else plan.renamed.push({ document: earlier, file })
  }
  const renamed = new Set(plan.renamed.map(({ document }) => document))
  plan.gone = missing.filter((document) => !renamed.has(document))
  return plan
}

/** Takes the document that the file was most likely renamed from: one with the same name, else the first. */
function takeEarlier(candidates: RemoteDocument[] | undefined, { name }: HashedFile): RemoteDocument | null {
  if (candidates === undefined || candidates.length === 0) return null
  const sameName = candidates.findIndex(({ path }) => path.slice(path.lastIndexOf('/') + 1) === name)
  return candidates.splice(Math.max(0, sameName), 1)[0] ?? null
}

function byPathOrder(a: { path: string }, b: { path: string }): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0
}

/** `12 new, 3 changed, 1 renamed, 0 gone, 300 unchanged` */
export function formatCounts(plan: SyncPlan): string {
  return Object.entries(countsOf(plan))
    .map(([name, n]) => `${n} ${name}`)
    .join(', ')
}

export function countsOf(plan: SyncPlan) {
  return {
    new: plan.new.length,
    changed: plan.changed.length,
    renamed: plan.renamed.length,
    gone: plan.gone.length,
    unchanged: plan.unchanged.length,
  }
}

/** One line of a plan, as it is printed, written to a file, and compared with a later plan. */
export interface Change {
  change: 'new' | 'changed' | 'renamed' | 'gone'
  path: string
  /** Of a renamed document: its path until now. */
  from?: string
  sha256: string
  /** Of a file. */
  size_bytes?: number
  /** Of a document that exists and is not replaced. */
  document_id?: string
}

/** Returns the changes in the order in which they are made. */
export function changesOf(plan: SyncPlan): Change[] {
  return [
    ...plan.new.map(({ path, sha256, size }) => ({ change: 'new' as const, path, sha256, size_bytes: size })),
    ...plan.changed.map(({ path, sha256, size }) => ({ change: 'changed' as const, path, sha256, size_bytes: size })),
    ...plan.renamed.map(({ document, file }) => ({
      change: 'renamed' as const,
      path: file.path,
      from: document.path,
      sha256: file.sha256,
      size_bytes: file.size,
      document_id: document.id,
    })),
    ...plan.gone.map(({ id, path, sha256 }) => ({ change: 'gone' as const, path, sha256, document_id: id })),
  ]
}
