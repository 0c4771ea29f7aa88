import type { Stats } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { basename, join, sep } from 'node:path'
import { reasonOf } from '../../../client/errors.ts'
import type { FoundFile, Refusal } from '../../files/found.ts'

/** What an export says about a document. */
export interface ExportedDocument {
  path: string
  /** Relative to the folder, with slashes. */
  file: string
  name: string
  tags: string[]
  /** Null leaves the title to docsearch, which takes it from the file. */
  title: string | null
  /** The hash that the export has, if any. */
  hash: { algorithm: 'sha256' | 'md5'; hex: string } | null
}

/** An export that was read. */
export interface Source {
  /** The kind of export, for the user. */
  kind: string
  documents: ExportedDocument[]
  /** Entries that can't be imported. */
  refused: Refusal[]
  /** What was left out on purpose, in sentences. */
  notes: string[]
}

export interface ImportFile extends FoundFile {
  exported: ExportedDocument
}

/** Finds the files of documents. No entry can name a file outside of the folder, not even through a link. */
export async function locate(
  folder: string,
  documents: readonly ExportedDocument[],
): Promise<{ files: ImportFile[]; refused: Refusal[] }> {
  const root = await realpath(folder)
  const files: ImportFile[] = []
  const refused: Refusal[] = []
  for (const exported of documents) {
    const { path, name, file } = exported
    const refuse = (code: string, message: string) => refused.push({ path, name, code, message })
    try {
      const target = await realpath(join(root, file))
      if (!target.startsWith(root + sep)) {
        refuse('outside', `the export names a file outside of the folder: ${file}`)
        continue
      }
      const stats: Stats = await stat(target)
      if (!stats.isFile()) {
        refuse('not_a_file', `not a file: ${file}`)
        continue
      }
      const size = stats.size
      files.push({ file: target, path, earlierPath: path, name: name || basename(file), size, stats, isNamed: false, exported })
    } catch (error) {
      const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
      refuse(isMissing ? 'not_there' : 'unreadable', isMissing ? `the file is missing: ${file}` : reasonOf(error))
    }
  }
  return { files, refused }
}
