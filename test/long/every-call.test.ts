import { mkdirSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { reportFaults } from '../support/fault-report.ts'
import { type FaultKind, type Faults, prepareFaults } from '../support/faults.ts'
import { type Instance, newInstance, type Running } from '../support/instance.ts'
import { Ledger } from '../support/ledger.ts'
import { expectOnlyNamedSegments, expectTidy } from '../support/promises.ts'
import { until } from '../support/until.ts'

/** The ledger's client that deletes no projects, so that all of its changes make about the same calls. */
const CLIENT = 1
/** An upper limit for the calls of each kind that a change makes. */
const MAX_CALLS = 400
/** How many changes in a row must end without reaching the call that would fail. */
const MISSES = 5

let instance: Instance
let running: Running
let faults: Faults | null
const ledger = new Ledger()

beforeAll(async () => {
  instance = await newInstance()
  mkdirSync(instance.dataDir)
  faults = prepareFaults(instance.home, instance.dataDir)
  if (faults === null) return
  running = await instance.start({ env: { ...faults.env, DOCSEARCH_LOG_LEVEL: 'warn' } })
  for (let i = 0; i < 10; i++) await ledger.change(running, CLIENT)
  await ledger.check(running)
})
afterAll(() => instance?.remove())

interface Row {
  name: string
  kind: FaultKind
  error: 'EIO' | 'ENOSPC'
  /** Whether all further calls fail too, until the change is answered and the worker has met the fault. */
  stays: boolean
}

const ROWS: Row[] = [
  { name: 'the disk is full from this write on', kind: 'write', error: 'ENOSPC', stays: true },
  { name: 'this write fails', kind: 'write', error: 'EIO', stays: false },
  { name: 'this sync fails', kind: 'sync', error: 'EIO', stays: false },
  { name: 'this rename fails', kind: 'rename', error: 'EIO', stays: false },
]

test.each(ROWS)(
  '$name: at every call from an upload or deletion to the end of its indexing',
  async ({ name, kind, error, stays }) => {
    if (faults === null) return
    const before = ledger.figures.documentsChecked
    let rounds = 0
    // Several changes without a fault, because a deletion makes fewer calls than an upload.
    for (let skip = 0, misses = 0; misses < MISSES;) {
      expect(skip, 'calls of one change').toBeLessThan(MAX_CALLS)
      faults.arm({ kinds: [kind], error, skip, times: stays ? -1 : 1 })
      expect(await ledger.change(running, CLIENT, { mayFail: true }), 'the daemon must survive').toBe(true)
      await until('the fault or the end of the work', async () => {
        if (faults!.injected() > 0) return true
        return (await running.documents()).every(({ status }) => status === 'ready' || status === 'failed')
      })
      const injected = faults.disarm()
      misses = injected === 0 ? misses + 1 : 0
      if (injected > 0) rounds++
      try {
        await ledger.check(running)
        await until('health to be ok', async () => (await running.health()).status === 'ok')
      } catch (cause) {
        throw new Error(`call ${skip + 1}\n${running.daemon.stderr().slice(-20_000)}`, { cause })
      }
      if (injected > 0) skip++
    }
    expect(rounds).toBeGreaterThan(2)
    await expectTidy(running, instance.dataDir, { mayHaveSpareOriginals: true })
    reportFaults({ fault: name, tried: rounds, documents: ledger.figures.documentsChecked - before })
  },
)

test('nothing remains of the failures', async ({ skip }) => {
  if (faults === null) return skip('needs Linux and a C compiler')
  expect(await running.daemon.stop()).toBe(0)
  running = await instance.start()
  await ledger.check(running)
  await expectTidy(running, instance.dataDir)
  await expectOnlyNamedSegments(instance.dataDir)
})
