import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '../../../client/client.ts'
import { ClientError } from '../../../client/errors.ts'
import type { Context } from '../../context.ts'
import { cancelled, EXIT, usage } from '../../exit.ts'
import { collectPages } from '../pages.ts'
import { eachDocument } from './each.ts'
import { documentId } from './find.ts'

/** A limit of requests a minute is waited out so often: many may have failed at once. */
const WAITS = 10

interface Options {
  project?: string
  /** Those with warnings in place of those that failed. */
  warnings?: boolean
}

export async function run(context: Context, given: string[], options: Options): Promise<number> {
  const client = await context.client()
  if (given.length > 0 && (options.project !== undefined || options.warnings === true))
    throw usage('--project and --warnings choose among all documents; leave them out where documents are named.')
  const ids = given.length > 0 ? given : await chosen(context, client, options)
  if (ids.length === 0) {
    context.notice(options.warnings === true ? 'No document has warnings.' : 'No document has failed.')
    if (context.json) context.printJson({ queued: [], failed: [] })
    return EXIT.nothing
  }
  const { signal } = context.io
  await eachDocument(context, ids, 'queued', async (id) => reprocess(client, await documentId(client, id), signal))
  return EXIT.done
}

async function chosen(context: Context, client: Client, { project: named, warnings }: Options): Promise<string[]> {
  const project = named ?? (await context.target()).project
  const documents = await collectPages(undefined, async (page) => {
    const which = warnings === true ? ({ warnings } as const) : ({ status: 'failed' } as const)
    const answer = await client.documents.list({ ...which, ...(project === null ? {} : { project }), ...page })
    return { items: answer.documents, next: answer.next_cursor }
  })
  return documents.map(({ id }) => id)
}

async function reprocess(client: Client, id: string, signal: AbortSignal): Promise<void> {
  for (let waits = 0; ; waits++) {
    try {
      await client.documents.reprocess(id)
      return
    } catch (error) {
      if (!(error instanceof ClientError) || error.status !== 429 || waits >= WAITS) throw error
      await sleep((error.retryAfter ?? 1) * 1000, undefined, { signal }).catch(() => {
        throw cancelled('Cancelled; what was queued until now stays in the queue.')
      })
    }
  }
}
