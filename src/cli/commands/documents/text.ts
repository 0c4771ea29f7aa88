import { defineCommand } from '../../define.ts'
import { argument, integer, option } from '../../options.ts'
import { DOCUMENT, documentId, inProject } from './find.ts'
import { trimEnd } from '../../../core/trim-end.ts'

export default defineCommand({
  name: 'text',
  summary: 'Print the text extracted from a document',
  description:
    'Print the text extracted from a document. A pipe gets exactly what was extracted; on a terminal, control characters are replaced.',
  arguments: { document: argument('<document>', DOCUMENT) },
  options: { project: inProject, page: option('--page <number>', 'Print only this page', integer(1)) },
  examples: ['docsearch documents text doc_01h… --page 3'],
  async run(context, { document }, { project, page }) {
    const client = await context.client()
    const id = await documentId(client, document, project)
    const text = await client.documents.text(id, page)
    if (context.json) context.printJson({ id, page: page ?? null, text })
    else if (context.terminal) context.print(`${trimEnd(text, /[\r\n\f]/)}\n`)
    else context.io.stdout.bytes.write(text)
  },
})
