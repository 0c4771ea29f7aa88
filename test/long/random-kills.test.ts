import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Document } from '../../src/contract/documents.ts'
import { type Instance, newInstance, type Running } from '../support/instance.ts'
import { killNow } from '../support/processes.ts'
import { expectOnlyNamedSegments, expectTidy, found } from '../support/promises.ts'
import type { Rest } from '../support/rest.ts'
import { textWith, rareWord } from '../support/words.ts'

const KILLS = Number(process.env.DOCSEARCH_TEST_KILLS ?? 200)
const CLIENTS = 4
const PATHS_PER_CLIENT = 8
/** The first client deletes its projects now and then. */
const PROJECTS_PER_CLIENT = 2

/** What can be at `project/path`: a document with one of these words, or none. Has several entries if the last answer never came. */
type Ledger = Map<string, (string | null)[]>

let instance: Instance
const ledger: Ledger = new Map()
/** Words that no search may find any more. Unfinished work could bring them back. */
const gone = new Set<string>()
const ids = new Map<string, string>()
const figures = {
  kills: 0,
  killedBeforeListening: 0,
  uploads: 0,
  replaces: 0,
  deletes: 0,
  projectDeletes: 0,
  unanswered: 0,
  checks: 0,
  documentsChecked: 0,
  slowestStartMs: 0,
}

beforeAll(async () => {
  instance = await newInstance()
  await (await instance.start()).daemon.stop()
})
afterAll(() => instance?.remove())

/** A client that changes its own paths until the daemon dies. It records what was acknowledged and what may have happened. */
async function changeThings(rest: Rest, client: number): Promise<void> {
  for (;;) {
    const project = `project-${client}-${Math.floor(Math.random() * PROJECTS_PER_CLIENT)}`
    try {
      if (client === 0 && Math.random() < 0.1) await deleteProject(rest, project)
      else await changeDocument(rest, project, `client-${client}-${Math.floor(Math.random() * PATHS_PER_CLIENT)}.txt`)
    } catch (error) {
      if (!(error instanceof TypeError || (error as { name?: string }).name === 'AbortError')) throw error
      figures.unanswered += 1
      return
    }
  }
}

async function changeDocument(rest: Rest, project: string, name: string): Promise<void> {
  const path = `${project}/${name}`
  const before = ledger.get(path) ?? [null]
  // Deletes only what certainly exists.
  const remove = before.length === 1 && before[0] !== null && Math.random() < 0.25
  const after = remove ? null : rareWord()
  ledger.set(path, [...before, after])
  if (remove) {
    const { status } = await rest.call('DELETE', `/api/v1/documents/${ids.get(path)}`)
    expect(status).toBe(204)
  } else {
    const lines = Math.floor(Math.random() ** 3 * 2000)
    const content = textWith(after!) + 'a line of filling\n'.repeat(lines)
    const { status, body } = await rest.upload([{ name, content }], { project })
    expect(status).toBe(202)
    ids.set(path, body.documents[0]!.id)
  }
  settle(path, before, after)
  figures[remove ? 'deletes' : before.includes(null) ? 'uploads' : 'replaces'] += 1
}

async function deleteProject(rest: Rest, project: string): Promise<void> {
  const paths = [...ledger].filter(([path]) => path.startsWith(`${project}/`))
  for (const [path, before] of paths) ledger.set(path, [...before, null])
  const { status } = await rest.call('DELETE', `/api/v1/projects/${project}`)
  expect([200, 404]).toContain(status)
  for (const [path, before] of paths) settle(path, before, null)
  figures.projectDeletes += 1
}

/** Records an answer: from now on, the path has this document and no earlier one. */
function settle(path: string, before: readonly (string | null)[], after: string | null): void {
  ledger.set(path, [after])
  for (const word of before) if (word !== null) gone.add(word)
}

/** Expects the instance to match the ledger, and makes uncertain entries certain. */
async function check(rest: Running): Promise<void> {
  const byName = new Map<string, Document[]>()
  for (const document of await rest.settled(300_000)) {
    const path = `${document.project.name}/${document.name}`
    byName.set(path, [...(byName.get(path) ?? []), document])
  }
  for (const [path, allowed] of ledger) {
    const documents = byName.get(path) ?? []
    expect(documents.length, `documents at ${path}`).toBeLessThanOrEqual(1)
    const text = documents[0] ? (await rest.call<string>('GET', `/api/v1/documents/${documents[0].id}/content`)).body : null
    const is = allowed.find((word) => (word === null ? text === null : text?.includes(word)))
    expect(is, `${path} holds none of what it may hold: ${JSON.stringify(allowed)}`).not.toBe(undefined)
    for (const word of allowed) {
      if (word !== null && word !== is) gone.add(word)
    }
    ledger.set(path, [is!])
    if (is === null) continue
    expect(documents[0]!.status, JSON.stringify(documents[0]!.error)).toBe('ready')
    ids.set(path, documents[0]!.id)
    expect(await found(rest, is!)).toEqual([documents[0]!.name])
    figures.documentsChecked += 1
  }
  for (const name of byName.keys()) expect(ledger.has(name), `nobody sent ${name}`).toBe(true)
  for (const word of gone) expect(await found(rest, word), 'a ghost').toEqual([])
  gone.clear()
  await expectTidy(rest, instance.dataDir)
  await expectOnlyNamedSegments(instance.dataDir)
  figures.checks += 1
}

/** Returns what searches find for words that many documents have, and with which scores. */
async function results(rest: Rest): Promise<unknown> {
  const answers = await Promise.all(
    ['password gate', 'filling', 'archive note'].map((query) => rest.search(query, { limit: 100 })),
  )
  return answers.map(({ results }) =>
    results.map(({ score, document, chunk, text }) => ({
      score,
      path: `${document.project.name}/${document.name}`,
      chunk: chunk.index,
      text,
    })),
  )
}

test(`${KILLS} random kills with SIGKILL: every acknowledged document exists once`, async () => {
  while (figures.kills < KILLS) {
    // Some kills hit the start or the recovery, so that a recovery also meets unfinished recoveries.
    const early = Math.random() < 0.3
    const life = (Math.random() * (early ? 1200 : 1000)) | 0
    let spawned = 0
    const running = await instance.tryStart({
      onSpawn(pid) {
        spawned = pid
        if (early) void pause(life).then(() => killNow(pid))
      },
    })
    figures.kills += 1
    if (running === null) {
      expect(early, 'the daemon died without being killed').toBe(true)
      figures.killedBeforeListening += 1
      continue
    }
    figures.slowestStartMs = Math.max(figures.slowestStartMs, running.daemon.startedAfterMs)
    if (!early) await check(running)
    const clients = Promise.all(Array.from({ length: CLIENTS }, (_, client) => changeThings(running, client)))
    if (!early) {
      await pause(life)
      killNow(spawned)
    }
    await running.daemon.exited
    await clients
    if (figures.kills % 20 === 0) console.log(JSON.stringify(figures))
  }
  const last = await instance.start()
  await check(last)
  const before = await results(last)
  expect(await last.daemon.stop()).toBe(0)
  rmSync(join(instance.dataDir, 'segments'), { recursive: true })
  expect(await results(await instance.start()), 'segments that were built at once').toEqual(before)
  console.log(JSON.stringify({ ...figures, slowestStartMs: Math.round(figures.slowestStartMs) }))
  expect(figures.uploads + figures.replaces + figures.deletes).toBeGreaterThan(KILLS / 4)
})
