import { FILES, MANIFEST, type About, readManifest } from '../export/manifest.ts'
import type { Source } from './source.ts'

/** Reads what `docsearch export` wrote. */
export async function readDocsearchExport(folder: string, about: About | null): Promise<Source> {
  const source: Source = { kind: 'an export of docsearch', documents: [], refused: [], notes: [] }
  for await (const entry of readManifest(folder)) {
    if ('line' in entry) {
      const name = `${MANIFEST}:${entry.line}`
      source.refused.push({ path: name, name, code: 'invalid_entry', message: 'the line is not an entry of a manifest' })
      continue
    }
    const { path, file, name, tags, given_title: title, sha256 } = entry
    source.documents.push({ path, file: `${FILES}/${file}`, name, tags, title, hash: { algorithm: 'sha256', hex: sha256 } })
  }
  if (about?.complete === false) source.notes.push('The export is not complete. Run `docsearch export` again to complete it.')
  return source
}
