import { mkdirSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { reportFaults } from '../support/fault-report.ts'
import { FAULT_KINDS, type FaultKind, type Faults, prepareFaults } from '../support/faults.ts'
import { type Instance, newInstance, type Running } from '../support/instance.ts'
import { Ledger } from '../support/ledger.ts'
import { expectOnlyNamedSegments, expectTidy } from '../support/promises.ts'
import { until } from '../support/until.ts'

const ROUNDS = Number(process.env.DOCSEARCH_TEST_FAULTS ?? 150)
const CLIENTS = 3
const CHANGES_PER_CLIENT = 4
/** About how many calls of each kind a round makes, so that the failure begins somewhere among them. */
const CALLS = { open: 200, read: 300, write: 400, sync: 60, rename: 30, unlink: 20, resize: 4 } satisfies Record<
  FaultKind,
  number
>
/** A disk that stays broken does so for at most this time, so that a round ends. */
const MAX_BROKEN_MS = 3_000

let instance: Instance
let faults: Faults | null
const ledger = new Ledger()
const figures = {
  rounds: 0,
  injected: 0,
  restarts: 0,
  searchesAnswered: 0,
  searchesRefused: 0,
  byKind: {} as Record<string, number>,
}

beforeAll(async () => {
  instance = await newInstance()
  mkdirSync(instance.dataDir)
  faults = prepareFaults(instance.home, instance.dataDir)
})
afterAll(() => instance?.remove())

const start = (): Promise<Running> => instance.start({ env: { ...faults!.env, DOCSEARCH_LOG_LEVEL: 'warn' } })

/** Waits until docsearch has repaired what the failure damaged, such as a file of LanceDB that was written only in part. */
async function repaired(running: Running): Promise<void> {
  await until('health to be ok', async () => {
    const { checks } = await running.health()
    return checks?.index?.status === 'ok' && checks.database?.status === 'ok'
  })
}

async function search(running: Running): Promise<void> {
  const { status } = await running.call('POST', '/api/v1/search', { query: 'password of the gate' }).catch(() => ({ status: 0 }))
  // A search may be refused because the database cannot be read, but it is no mistake of the caller.
  expect(status === 200 || status >= 500 || status === 0, `a search was answered with ${status}`).toBe(true)
  figures[status === 200 ? 'searchesAnswered' : 'searchesRefused'] += 1
}

/** What a fault of this round looks like: it begins somewhere in the work, happens once or several times, or stays for a while. */
function randomFault(): Parameters<Faults['arm']>[0] {
  const kinds = Object.keys(FAULT_KINDS) as FaultKind[]
  const kind = kinds[figures.rounds % kinds.length]!
  const isFull = (kind === 'write' || kind === 'open' || kind === 'resize') && Math.random() < 0.5
  const times = [1, 1, 3, 20, -1][Math.floor(Math.random() * 5)]!
  return { kinds: [kind], error: isFull ? 'ENOSPC' : 'EIO', skip: Math.floor(Math.random() ** 2 * CALLS[kind]), times }
}

test(`${ROUNDS} failures of the disk at random calls: nothing that was acknowledged is lost`, async ({ skip }) => {
  if (faults === null) return skip('needs Linux and a C compiler')
  let running = await start()
  let isRunning = true
  void running.daemon.exited.then(() => (isRunning = false))
  while (figures.rounds < ROUNDS) {
    const fault = randomFault()
    faults.arm(fault)
    const end = performance.now() + MAX_BROKEN_MS
    const clients = Array.from({ length: CLIENTS }, async (_, client) => {
      for (let i = 0; i < CHANGES_PER_CLIENT && performance.now() < end; i++)
        if (!(await ledger.change(running, client, { mayFail: true }))) return
    })
    await Promise.all([...clients, search(running), pause(300).then(() => search(running))])
    // Lets the worker meet the fault as well.
    await pause(Math.random() * 1_000)
    const injected = faults.disarm()
    figures.injected += injected
    const name = `${fault.kinds[0]} ${fault.error}`
    figures.byKind[name] = (figures.byKind[name] ?? 0) + injected
    if (!isRunning) {
      figures.restarts += 1
      running = await start()
      isRunning = true
      void running.daemon.exited.then(() => (isRunning = false))
    }
    try {
      await repaired(running)
      await ledger.check(running)
      await expectTidy(running, instance.dataDir, { mayHaveSpareOriginals: true })
    } catch (error) {
      throw new Error(`after ${JSON.stringify(fault)}\n${running.daemon.stderr().slice(-20_000)}`, { cause: error })
    }
    figures.rounds += 1
    if (figures.rounds % 15 === 0) console.log(JSON.stringify({ ...figures, ...ledger.figures }))
  }
  expect(await running.daemon.stop()).toBe(0)
  running = await start()
  await ledger.check(running)
  await expectTidy(running, instance.dataDir)
  await expectOnlyNamedSegments(instance.dataDir)
  console.log(JSON.stringify({ ...figures, ...ledger.figures }))
  expect(figures.injected).toBeGreaterThan(ROUNDS / 2)
  reportFaults({
    fault: 'a call of the file system that fails',
    tried: figures.injected,
    documents: ledger.figures.documentsChecked,
  })
})
