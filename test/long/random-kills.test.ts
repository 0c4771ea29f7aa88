import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { reportFaults } from '../support/fault-report.ts'
import { type Instance, newInstance, type Running } from '../support/instance.ts'
import { Ledger } from '../support/ledger.ts'
import { killNow } from '../support/processes.ts'
import { expectOnlyNamedSegments, expectTidy } from '../support/promises.ts'
import type { Rest } from '../support/rest.ts'

const KILLS = Number(process.env.DOCSEARCH_TEST_KILLS ?? 200)
const CLIENTS = 4

let instance: Instance
const ledger = new Ledger()
const figures = { kills: 0, killedBeforeListening: 0, slowestStartMs: 0 }

beforeAll(async () => {
  instance = await newInstance()
  await (await instance.start()).daemon.stop()
})
afterAll(() => instance?.remove())

/** Changes things until the daemon dies. */
async function changeThings(rest: Rest, client: number): Promise<void> {
  while (await ledger.change(rest, client));
}

async function check(running: Running): Promise<void> {
  await ledger.check(running)
  await expectTidy(running, instance.dataDir)
  await expectOnlyNamedSegments(instance.dataDir)
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
    if (figures.kills % 20 === 0) console.log(JSON.stringify({ ...figures, ...ledger.figures }))
  }
  const last = await instance.start()
  await check(last)
  const before = await results(last)
  expect(await last.daemon.stop()).toBe(0)
  rmSync(join(instance.dataDir, 'segments'), { recursive: true })
  expect(await results(await instance.start()), 'segments that were built at once').toEqual(before)
  console.log(JSON.stringify({ ...figures, ...ledger.figures, slowestStartMs: Math.round(figures.slowestStartMs) }))
  const { uploads, replaces, deletes } = ledger.figures
  expect(uploads + replaces + deletes).toBeGreaterThan(KILLS / 4)
  reportFaults({ fault: 'SIGKILL at a random moment', tried: figures.kills, documents: ledger.figures.documentsChecked })
})
