import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '../../../client/client.ts'
import type { DocumentFilter } from '../../../client/list-filters.ts'
import { ClientError } from '../../../client/errors.ts'
import type { Context } from '../../context.ts'
import { defineCommand } from '../../define.ts'
import { cancelled, EXIT, usage } from '../../exit.ts'
import { argumentList, flag, text } from '../../options.ts'
import { retry } from '../../../client/retry.ts'
import { collectPages } from '../find.ts'
import { DOCUMENT_LIST, documentId } from './find.ts'
import { changeEach } from './together.ts'

/** Many documents may have failed at once, more than the instance takes requests in a minute. */
const MAX_WAITS = 10

export default defineCommand({
  name: 'reprocess',
  aliases: ['retry'],
  summary: 'Process documents again',
  description: 'Process documents again. Without arguments, process all failed documents again.',
  arguments: { documents: argumentList('[document...]', DOCUMENT_LIST) },
  options: {
    project: text('-p, --project <name>', 'Only documents of this project (ID or name)'),
    warnings: flag('--warnings', 'Process documents with warnings instead of failed documents'),
  },
  examples: [
    'docsearch documents reprocess doc_01h…',
    'docsearch documents retry --project contracts',
    'docsearch documents retry --warnings',
  ],
  async run(context, { documents }, { project, warnings }) {
    const client = await context.client()
    if (documents.length > 0 && (project !== undefined || warnings))
      throw usage('--project and --warnings cannot be used with a list of documents.')
    const filter: DocumentFilter = warnings ? { project, warnings } : { project, status: 'failed' }
    const ids = documents.length > 0 ? documents : await matchingIds(context, client, filter)
    if (ids.length === 0) {
      context.notice(warnings ? 'No documents with warnings.' : 'No failed documents.')
      if (context.json) context.printJson({ queued: [], failed: [] })
      return EXIT.nothing
    }
    const { signal } = context.io
    const find = (given: string) => documentId(client, given)
    const action = { action: 'reprocess' as const }
    await changeEach(context, { client, documents: ids, find, action, done: 'queued' }, async (id, queued) => {
      if (queued === undefined) await reprocess(client, id, signal)
    })
    return EXIT.done
  },
})

async function matchingIds(context: Context, client: Client, filter: DocumentFilter): Promise<string[]> {
  const project = filter.project ?? (await context.target()).project ?? undefined
  const documents = await collectPages(undefined, async (page) => {
    const answer = await client.documents.list({ ...filter, project, ...page })
    return { items: answer.documents, next: answer.next_cursor }
  })
  return documents.map(({ id }) => id)
}

async function reprocess(client: Client, id: string, signal: AbortSignal): Promise<void> {
  await retry(
    () => client.documents.reprocess(id),
    (error, attempt) => {
      const isLimited = error instanceof ClientError && error.status === 429 && attempt <= MAX_WAITS
      return isLimited ? (error.retryAfter ?? 1) : null
    },
    async (seconds) => {
      await sleep(seconds * 1000, undefined, { signal }).catch(() => {
        throw cancelled('Cancelled. Documents that are already queued stay queued.')
      })
    },
  )
}
