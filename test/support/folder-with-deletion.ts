import { globSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Instance, newInstance, type Running } from './instance.ts'
import { until } from './until.ts'
import { rareWord, textWith } from './words.ts'

const ATTEMPTS = 20
/** The files come within this time, unless the documents got commits of their own. */
const WRITTEN_MS = 10_000
const DELETIONS = ['segments/*/*/*.del', 'lance/*/_deletions/*']

/**
 * Returns a data folder with documents, by their names and words, whose index has files of deletions. LanceDB writes such a file when it
 * deletes one of several documents that one commit added. On a busy machine, documents of one request can get commits of their own, so this tries again. `end` ends the
 * daemon.
 */
export async function folderWithDeletion(
  words: Readonly<Record<string, string>>,
  end: (running: Running) => Promise<unknown>,
): Promise<Instance> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const instance = await newInstance()
    const running = await instance.start()
    const hasDeletions = () => DELETIONS.every((pattern) => globSync(join(instance.dataDir, pattern)).length > 0)
    const files = Object.entries({ ...words, 'gone.txt': rareWord() }).map(([name, word]) => ({ name, content: textWith(word) }))
    await running.upload(files, { wait: true })
    const gone = (await running.documents()).find(({ name }) => name === 'gone.txt')!
    await running.call('DELETE', `/api/v1/documents/${gone.id}?permanent=true`)
    // The index deletes the passages after the answer.
    const isThere = await until('the deletions to be written', hasDeletions, WRITTEN_MS).catch(() => false)
    await end(running)
    // A sweep deletes this original later, so damage to it has no effect.
    rmSync(join(instance.dataDir, 'blobs', gone.sha256.slice(0, 2), gone.sha256.slice(2)), { force: true })
    if (isThere && hasDeletions()) return instance
    await instance.remove()
  }
  throw new Error('no deletion in the index')
}
