import type { Document } from '../../../contract/documents.ts'
import type { Context } from '../../context.ts'
import { formatTable } from '../../view/table.ts'

/** Prints a document after a change of its name, path, title or project. */
export function printChanged(context: Context, document: Document): void {
  const { id, name, path, project, status } = document
  if (context.json) context.printJson(document)
  else context.print(formatTable(['ID', 'NAME', 'PROJECT', 'PATH'], [[id, name, project.name, path]], context.table))
  if (status === 'queued') context.notice('The document is being indexed again. Until then, searches find it as it was.')
}
