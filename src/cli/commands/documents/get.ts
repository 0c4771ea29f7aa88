import { pipeline } from 'node:stream/promises'
import type { Context } from '../../context.ts'
import { download, safeFileName } from '../../download.ts'
import { usage } from '../../exit.ts'
import { documentId } from './find.ts'

export async function run(
  context: Context,
  [given = '']: string[],
  options: { output?: string; force?: boolean },
): Promise<void> {
  const client = await context.client()
  const id = await documentId(client, given)
  const toPipe = options.output === '-' || (options.output === undefined && context.io.stdout.isTTY !== true && !context.json)
  if (toPipe) {
    if (context.json) throw usage('--json and `-o -` cannot both have standard output.')
    await pipeline(await client.documents.content(id), context.io.stdout, { end: false, signal: context.io.signal })
    return
  }
  const document = await client.documents.get(id)
  const file = options.output ?? safeFileName(document.name)
  await download(client, document, file, { force: options.force === true, signal: context.io.signal })
  if (context.json) context.printJson({ id: document.id, file, size_bytes: document.size_bytes, sha256: document.sha256 })
  else context.notice(`${file}: ${document.size_bytes} bytes`)
}
