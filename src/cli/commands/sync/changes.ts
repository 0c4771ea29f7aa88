import type { SyncPlan } from './plan.ts'

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
