import { pipeline } from 'node:stream/promises'
import { formatBytes } from '../../../core/format-bytes.ts'
import { trimEnd } from '../../../core/trim-end.ts'
import { defineCommand } from '../../define.ts'
import { usage } from '../../exit.ts'
import { argument, flag, integer, option, path } from '../../options.ts'
import { DOCUMENT, documentId, inProject } from './find.ts'

export const get = defineCommand({
  name: 'get',
  summary: 'Download the original file',
  arguments: { document: argument('<document>', DOCUMENT) },
  options: {
    project: inProject,
    output: path(
      '-o, --output <file>',
      "File to write, - for standard output (default: the document's name in this folder; on a pipe, standard output)",
    ),
    force: flag('-f, --force', 'Overwrite an existing file'),
  },
  examples: ['docsearch documents get doc_01h… -o report.pdf'],
  async run(context, args, { project, output, force }) {
    const { stdout, signal } = context.io
    if (output === '-' && stdout.isTTY)
      throw usage(
        'The original can contain control characters, so it is not written to a terminal. Redirect the output, or use `docsearch documents text`.',
      )
    const client = await context.client()
    const id = await documentId(client, args.document, project)
    const toStdout = output === '-' || (output === undefined && !stdout.isTTY && !context.json)
    if (toStdout) {
      if (context.json) throw usage('--json cannot be used with -o -, because both write to standard output.')
      await pipeline(await client.documents.content(id), stdout.bytes, { end: false, signal })
      return
    }
    const { download, safeFileName } = await import('../../download.ts')
    const document = await client.documents.get(id)
    const file = output ?? safeFileName(document.name)
    await download(client, document, file, { force, signal })
    if (context.json) context.printJson({ id: document.id, file, size_bytes: document.size_bytes, sha256: document.sha256 })
    else context.notice(`Saved ${file} (${formatBytes(document.size_bytes)})`)
  },
})

export const printText = defineCommand({
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
