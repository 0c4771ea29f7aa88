import { globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'
import type { ProjectList } from '../../src/contract/projects.ts'
import { incoming, integrity, originals } from './data-folder.ts'
import type { Running } from './instance.ts'
import { childrenOf, isRunning } from './processes.ts'
import type { Rest } from './rest.ts'
import { until } from './until.ts'

/** Returns the names of the documents that a search for this word finds, once for each result. */
export async function found(rest: Rest, word: string): Promise<string[]> {
  const { results } = await rest.search(word, { mode: 'keyword', limit: 100 })
  return results.map(({ document }) => document.name)
}

const COUNTS = ['document_count', 'chunk_count', 'size_bytes', 'queued', 'processing', 'ready', 'failed'] as const

/**
 * Checks the promise of a 2xx: each of these documents exists once, is ready, and every search mode finds it once by its word.
 * `words`: by name of the document.
 */
export async function expectSearchableOnce(rest: Rest, words: Readonly<Record<string, string>>): Promise<void> {
  const documents = await rest.settled()
  for (const [name, word] of Object.entries(words)) {
    expect(documents.filter((document) => document.name === name).map(({ status, error }) => ({ name, status, error }))).toEqual([
      { name, status: 'ready', error: null },
    ])
    expect(await found(rest, word)).toEqual([name])
    const { results } = await rest.search(word, { mode: 'hybrid', limit: 100 })
    expect(results[0]?.document.name).toBe(name)
    expect(new Set(results.map(({ chunk }) => chunk.id)).size).toBe(results.length)
  }
}

/**
 * Expects rows, counts, originals and the queue to agree, without remains or doubles. With `mayHaveSpareOriginals`, originals of refused
 * uploads may still be there: docsearch deletes them later.
 */
export async function expectTidy(rest: Rest, dataDir: string, { mayHaveSpareOriginals = false } = {}): Promise<void> {
  const documents = await rest.settled()
  const paths = documents.map(({ project, path }) => `${project.id}/${path}`)
  expect(paths).toEqual([...new Set(paths)])
  expect(await incoming(dataDir)).toEqual([])
  const trashed = await rest.documents({ trashed: true })
  const wanted = [...new Set([...documents, ...trashed].map(({ sha256 }) => sha256))].toSorted()
  if (mayHaveSpareOriginals) expect(await originals(dataDir)).toEqual(expect.arrayContaining(wanted))
  else {
    await until('originals without a document to be removed', async () => (await originals(dataDir)).length <= wanted.length)
    expect(await originals(dataDir)).toEqual(wanted)
  }
  const { projects } = (await rest.call<ProjectList>('GET', '/api/v1/projects?limit=100')).body
  const counts = projects.map(({ statuses, document_count, chunk_count, size_bytes }) => ({
    document_count,
    chunk_count,
    size_bytes,
    ...statuses,
  }))
  const total = (name: keyof (typeof counts)[number]) => sum(counts, (project) => project[name])
  expect(Object.fromEntries(COUNTS.map((name) => [name, total(name)]))).toEqual({
    document_count: documents.length,
    chunk_count: sum(documents, ({ chunk_count }) => chunk_count ?? 0),
    size_bytes: sum(documents, ({ size_bytes }) => size_bytes),
    queued: 0,
    processing: 0,
    ready: documents.filter(({ status }) => status === 'ready').length,
    failed: documents.filter(({ status }) => status === 'failed').length,
  })
  expect((await rest.search('archive')).pending_documents).toBe(0)
  const health = await rest.health()
  expect(health.checks).toMatchObject({ database: { status: 'ok' }, index: { status: 'ok' } })
  expect(integrity(dataDir)).toBe('ok')
}

/** Like expectTidy. Then stops the daemon and expects no processes and no temporary files of it. `outside` is its TMPDIR. */
export async function expectNothingLeft(running: Running, dataDir: string, outside: string): Promise<void> {
  await expectTidy(running, dataDir)
  const children = childrenOf(running.daemon.pid)
  expect(await running.daemon.stop()).toBe(0)
  expect(children.filter(isRunning)).toEqual([])
  expect(readdirSync(outside)).toEqual([])
  expectClosed(dataDir)
}

/** Expects that the daemon closed all its files in the data folder before it ended. */
export function expectClosed(dataDir: string): void {
  expect(readdirSync(dataDir).filter((name) => name === 'tmp' || name === 'daemon.json' || name.endsWith('-wal'))).toEqual([])
}

function sum<T>(things: readonly T[], count: (thing: T) => number): number {
  return things.reduce((total, thing) => total + count(thing), 0)
}

/** Expects every file of every project's segments to be named by its manifest, and every named file to be there. */
export async function expectOnlyNamedSegments(dataDir: string): Promise<void> {
  await until('the files of merged segments to be removed', () => {
    const manifests = globSync(join(dataDir, 'segments/*/*/manifest.json'))
    return manifests.every((manifest) => {
      const { segments } = JSON.parse(readFileSync(manifest, 'utf8')) as { segments: { name: string; generation: number }[] }
      const named = segments.flatMap(({ name, generation }) => [
        `${name}.seg`,
        `${name}.vec`,
        ...(generation > 0 ? [`${name}.${generation}.del`] : []),
      ])
      return isDeepStrictEqual(readdirSync(dirname(manifest)).toSorted(), ['manifest.json', ...named].toSorted())
    })
  })
  for (const folder of globSync(join(dataDir, 'segments/*/*'))) expect(readdirSync(folder)).toContain('manifest.json')
}
