import { DocsearchError } from '../../core/errors.ts'
import type { Context } from '../context.ts'

export async function run(context: Context): Promise<void> {
  const { address } = await context.target()
  const removed = await (await context.credentials()).delete(address)
  if (!removed) throw new DocsearchError('not_logged_in', `No key is kept for ${address}.`)
  if (context.json) context.printJson({ server: address, logged_out: true })
  else context.print(`Logged out of ${address}\n`)
  context.notice('The key itself is still good; `docsearch keys delete` ends it.')
  if (context.io.env['DOCSEARCH_TOKEN']) context.notice('DOCSEARCH_TOKEN is set and is still used.')
}
