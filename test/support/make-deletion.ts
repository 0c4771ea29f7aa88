import { globSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Instance, Running } from './instance.ts'
import { until } from './until.ts'
import { rareWord, textWith } from './words.ts'

const ATTEMPTS = 20

/**
 * Uploads documents and deletes some of them until the data folder has a file of deletions in the index, which needs a commit with a deleted document
 * and another one. On a busy machine, documents of one request can get commits of their own.
 */
export async function makeDeletion(running: Running, { dataDir }: Pick<Instance, 'dataDir'>): Promise<void> {
  const patterns = ['segments/*/*/*.del', 'lance/*/_deletions/*']
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const names = [`stays-${attempt}.txt`, `goes-${attempt}.txt`]
    const { body } = await running.upload(
      names.map((name) => ({ name, content: textWith(rareWord()) })),
      { wait: true },
    )
    const { id, sha256 } = body.documents.find(({ name }) => name === names[1])!
    await running.call('DELETE', `/api/v1/documents/${id}?permanent=true`)
    await until('the document to leave the index', async () => (await running.health()).checks?.queue?.status === 'ok')
    // A sweep deletes it later, and no damage to it counts.
    rmSync(join(dataDir, 'blobs', sha256.slice(0, 2), sha256.slice(2)), { force: true })
    if (patterns.every((pattern) => globSync(join(dataDir, pattern)).length > 0)) return
  }
  throw new Error('no deletion in the index')
}
