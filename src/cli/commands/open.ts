import { documentPath } from '../../contract/addresses.ts'
import type { Document } from '../../contract/documents.ts'
import { defineCommand } from '../define.ts'
import { EXIT, usage } from '../exit.ts'
import { argument, flag, integer, option } from '../options.ts'
import { DOCUMENT, documentId, inProject } from './documents/find.ts'

export default defineCommand({
  name: 'open',
  summary: 'Open a document',
  description:
    'Open the original of a document with your program for its type. At a page other than the first, this works with Evince, Papers, ' +
    'Atril, Xreader, Okular, Zathura, MuPDF, Skim and SumatraPDF. Otherwise, the page opens in the browser.',
  arguments: { document: argument('<document>', DOCUMENT) },
  options: {
    project: inProject,
    page: option('--page <number>', 'Page to open (default 1)', integer(1)),
    browser: flag('-b, --browser', 'Open the page in the browser'),
  },
  examples: ['docsearch open lease.pdf --page 3', 'docsearch open k3m9qz --browser'],
  async run(context, args, { project, page = 1, browser }) {
    const client = await context.client()
    const document = await client.documents.get(await documentId(client, args.document, project))
    requirePage(document, page)
    const { address: server } = await context.target()
    const address = `${server}${documentPath(document.id)}?page=${page}`
    if (browser) {
      await context.io.openBrowser(address)
      if (context.json) context.printJson({ url: address, with: 'browser', document, page })
      else context.printLine(address)
      return EXIT.done
    }
    const { openDocument } = await import('../open-document.ts')
    const opened = await openDocument(context, client, { document, page, address })
    if (context.json) context.printJson({ ...opened, document, page })
    else context.printLine(`${opened.file}:${page}`)
    return EXIT.done
  },
})

function requirePage({ name, page_count: pages }: Document, page: number): void {
  if (pages !== null && page > pages) throw usage(`${name} has ${pages === 1 ? 'only 1 page' : `only ${pages} pages`}.`)
}
