import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Document } from '../../src/contract/documents.ts'
import { type Instance, newInstance, type Running } from '../support/instance.ts'
import { killNow } from '../support/processes.ts'
import { expectTidy, found } from '../support/promises.ts'
import type { Rest } from '../support/rest.ts'
import { textWith, rareWord } from '../support/words.ts'

const KILLS = Number(process.env.DOCSEARCH_TEST_KILLS ?? 200)
const CLIENTS = 4
const PATHS_PER_CLIENT = 8

/** What can be at a path: a document with one of these words, or none. Has several entries if the last answer never came. */
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
    const path = `client-${client}-${Math.floor(Math.random() * PATHS_PER_CLIENT)}.txt`
    const before = ledger.get(path) ?? [null]
    // Deletes only what certainly exists.
    const remove = before.length === 1 && before[0] !== null && Math.random() < 0.25
    const after = remove ? null : rareWord()
    ledger.set(path, [...before, after])
    try {
      if (remove) {
        const { status } = await rest.call('DELETE', `/api/v1/documents/${ids.get(path)}`)
        expect(status).toBe(204)
      } else {
        const lines = Math.floor(Math.random() ** 3 * 2000)
        const { status, body } = await rest.upload([
          { name: path, content: textWith(after!) + 'a line of filling\n'.repeat(lines) },
        ])
        expect(status).toBe(202)
        ids.set(path, body.documents[0]!.id)
      }
    } catch (error) {
      if (!(error instanceof TypeError || (error as { name?: string }).name === 'AbortError')) throw error
      figures.unanswered += 1
      return
    }
    ledger.set(path, [after])
    for (const word of before) if (word !== null) gone.add(word)
    figures[remove ? 'deletes' : before.includes(null) ? 'uploads' : 'replaces'] += 1
  }
}

/** Expects the instance to match the ledger, and makes uncertain entries certain. */
async function check(rest: Running): Promise<void> {
  const byName = new Map<string, Document[]>()
  for (const document of await rest.settled(300_000)) byName.set(document.name, [...(byName.get(document.name) ?? []), document])
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
    expect(await found(rest, is!)).toEqual([path])
    figures.documentsChecked += 1
  }
  for (const name of byName.keys()) expect(ledger.has(name), `nobody sent ${name}`).toBe(true)
  for (const word of gone) expect(await found(rest, word), 'a ghost').toEqual([])
  gone.clear()
  await expectTidy(rest, instance.dataDir)
  figures.checks += 1
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
  await check(await instance.start())
  console.log(JSON.stringify({ ...figures, slowestStartMs: Math.round(figures.slowestStartMs) }))
  expect(figures.uploads + figures.replaces + figures.deletes).toBeGreaterThan(KILLS / 4)
})
