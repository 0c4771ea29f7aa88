import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { INSPECTABLE, inspect, type Inspector } from '../support/collect-garbage.ts'
import { runCli } from '../support/daemon.ts'
import { reportFaults } from '../support/fault-report.ts'
import { type Faults, prepareFaults } from '../support/faults.ts'
import { folderSize } from '../support/folder-size.ts'
import { growthOf, highOf, median, mostGrowth } from '../support/growth.ts'
import { type Instance, newInstance, type Running } from '../support/instance.ts'
import { residentMemory } from '../support/memory.ts'
import { expectTidy } from '../support/promises.ts'
import { until } from '../support/until.ts'
import { Workday } from '../support/workday.ts'

/**
 * Eight working hours on three days, in steps of twenty minutes. The work of a step runs as fast as the machine allows. Then the clock and the timers
 * of the daemon move ahead by the rest of the twenty minutes, so that the daemon's jobs of every minute, hour and day run as often as in reality.
 */
const STEP_MS = 1_200_000
const STEPS_A_DAY = 8
const DAYS = 3
const NIGHT_MS = 86_400_000 - STEPS_A_DAY * STEP_MS
/** The step of each day after which all clients pause for a while. */
const LUNCH = 4
/** What four clients do in a step: a change a minute, a search every five seconds, and a look at health and metrics every minute. */
const RATES = { changes: 20, searches: 240, reads: 40, scrapes: 20 }
const HOUR_MS = 3_600_000
const KEPT_BACKUPS = 3
/** How much each series may grow from the first to the last step of the second half, as a share of its level and apart from noise. */
const MAX_SHARES = { heap: 0.03, native: 0.05, handles: 0.05 }
/**
 * By how much the high of the last day may exceed that of the days before. These series also fall: V8 returns the memory of a thread that has ended
 * some seconds later, so it depends on the load of the machine whether a sample includes this memory. A leak makes every high exceed the one before.
 */
const MAX_HIGHS = { memory: 0.05, threads: 0.15 }
/** Disk and trash are compared between the second and the third day: documents stay in the trash for a day. */
const MAX_DISK_RATIO = 1.25

let instance: Instance
let running: Running
let inspector: Inspector
let faults: Faults | null
let backups: string

beforeAll(async () => {
  instance = await newInstance()
  backups = join(instance.home, 'backups')
  mkdirSync(instance.dataDir)
  faults = prepareFaults(instance.home, instance.dataDir)
  if (faults === null) return
  running = await instance.start({ env: environment() })
  inspector = await inspect(running.daemon)
})
afterAll(async () => {
  inspector?.close()
  await instance?.remove()
})

const environment = (): Record<string, string> => ({
  ...faults!.env,
  ...INSPECTABLE,
  DOCSEARCH_LOG_LEVEL: 'warn',
  DOCSEARCH_TRASH_DAYS: '1',
  DOCSEARCH_SCRUB_DAYS: '1',
  DOCSEARCH_AUDIT_DAYS: '1',
  DOCSEARCH_BACKUP_TARGET: backups,
  DOCSEARCH_BACKUP_EVERY: String(HOUR_MS),
  DOCSEARCH_BACKUP_KEEP: String(KEPT_BACKUPS),
  DOCSEARCH_USER_RATE_LIMIT: '0',
  // Its caches have a bound that depends on this. They should be full before the second half, so that only a leak still grows.
  DOCSEARCH_SEARCH_MEMORY_MB: '32',
})

interface Sample {
  heap: number
  /** What malloc has in use in all threads: SQLite, LanceDB, buffers. */
  native: number
  /** Resident memory without the memory that malloc has freed but kept, which depends on the highest peak so far. */
  memory: number
  handles: number
  /** Without those of LanceDB's pool, which grows for a moment with much work, and shrinks after some seconds. */
  threads: number
  /** Bytes of the data folder and the backups. */
  disk: number
  trash: number
  temporary: number
}

async function sample(): Promise<Sample> {
  const { pid } = running.daemon
  const heap = await inspector.collectGarbage()
  faults!.trimMemory()
  await wake()
  const native = await until('freed memory to be returned', () => faults!.trimmed())
  return {
    heap,
    native,
    memory: residentMemory(pid),
    handles: readdirSync(`/proc/${pid}/fd`).length,
    threads: threadNames(pid).filter((name) => !name.startsWith('tokio')).length,
    disk: folderSize(instance.dataDir) + folderSize(backups),
    trash: (await running.documents({ trashed: true })).length,
    temporary: readdirSync(join(instance.dataDir, 'tmp')).length,
  }
}

function threadNames(pid: number): string[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) => {
    try {
      return readFileSync(`/proc/${pid}/task/${thread}/comm`, 'utf8').trim()
    } catch (error) {
      // The thread has ended meanwhile.
      if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code!)) return []
      throw error
    }
  })
}

/** Wakes the daemon, so that it notices which timers are due. By now, the daemon may consider open connections too old. */
async function wake(): Promise<void> {
  const ask = () =>
    new Promise<void>((resolve, reject) => {
      get(`${running.url}/api/v1/health`, { agent: false }, (response) => response.resume().once('end', resolve)).once(
        'error',
        reject,
      )
    })
  for (let i = 0; i < 3; i++) await ask()
}

/** The time of the instance. */
const simulatedNow = (passedMs: number): number => Date.now() + passedMs

test(
  'eight hours of load: every answer is right, and memory, files and disk stay flat',
  { timeout: 90 * 60_000 },
  async ({ skip }) => {
    if (faults === null) return skip('needs Linux and a C compiler')
    const began = performance.now()
    const day = new Workday(running)
    await day.begin()
    const samples: Sample[] = []
    let passedMs = 0
    const pass = async (ms: number) => {
      passedMs += Math.max(0, Math.round(ms))
      faults!.passTime(passedMs)
      await wake()
    }
    for (let step = 0; step < DAYS * STEPS_A_DAY; step++) {
      const stepBegan = performance.now()
      if (step > 0 && step % STEPS_A_DAY === 0) await pass(NIGHT_MS)
      await day.work(RATES)
      // Every two hours.
      if (step % 6 === 5) expect((await runCli(['doctor'], running.daemon.env)).stderr).toContain('Nothing is wrong')
      await running.settled(600_000)
      await pass(STEP_MS - (performance.now() - stepBegan))
      // The daily scrub waits until no document is being processed, which is rare on this day.
      if (step % STEPS_A_DAY === LUNCH) await scrubbed(passedMs)
      await until('health to be ok', async () => (await running.health()).status === 'ok')
      samples.push(await sample())
      if (step % STEPS_A_DAY === STEPS_A_DAY - 1)
        console.log(JSON.stringify({ step: step + 1, ...day.figures, ...samples.at(-1) }))
    }
    await expectUpkeep(passedMs)
    const series = Object.keys(MAX_SHARES) as (keyof typeof MAX_SHARES)[]
    const half = samples.slice(samples.length / 2)
    const growth = Object.fromEntries(
      series.map((name) => {
        const found = growthOf(half.map((one) => one[name]))
        return [name, { ...found, most: mostGrowth(found, half.length, MAX_SHARES[name]) }]
      }),
    )
    const ofDays = (from: number, to: number, name: keyof Sample) =>
      samples.slice(from * STEPS_A_DAY, to * STEPS_A_DAY).map((one) => one[name])
    const ofDay = (n: number, name: keyof Sample) => median(ofDays(n, n + 1, name))
    const highs = (Object.keys(MAX_HIGHS) as (keyof typeof MAX_HIGHS)[]).map((name) => ({
      name,
      before: highOf(ofDays(0, DAYS - 1, name)),
      last: highOf(ofDays(DAYS - 1, DAYS, name)),
    }))
    const byDay = Object.fromEntries(
      (['heap', 'native', 'memory', 'handles', 'threads', 'disk', 'trash', 'temporary'] as const).map((name) => [
        name,
        [0, 1, 2].map((n) =>
          Math.round(['heap', 'native', 'memory', 'disk'].includes(name) ? ofDay(n, name) / 1e6 : ofDay(n, name)),
        ),
      ]),
    )
    console.log(
      JSON.stringify({ minutes: Math.round((performance.now() - began) / 60_000), ...day.figures, byDay, growth, highs }),
    )
    console.log(
      JSON.stringify(
        Object.fromEntries(Object.keys(samples[0]!).map((name) => [name, samples.map((one) => one[name as keyof Sample])])),
      ),
    )
    await day.check()
    inspector.close()
    expect(await running.daemon.stop()).toBe(0)
    running = await instance.start({ env: environment() })
    day.continueOn(running)
    await expectTidy(running, instance.dataDir)
    await day.check()
    for (const name of series)
      expect(growth[name]!.change, `${name} ${JSON.stringify(growth[name])}`).toBeLessThanOrEqual(growth[name]!.most)
    for (const { name, before, last } of highs) expect(last / before, name).toBeLessThanOrEqual(1 + MAX_HIGHS[name])
    for (const name of ['disk', 'trash'] as const) expect(ofDay(2, name) / ofDay(1, name), name).toBeLessThan(MAX_DISK_RATIO)
    expect(ofDay(2, 'temporary')).toBeLessThanOrEqual(1)
    reportFaults({ fault: 'eight hours of load', tried: day.figures.changes, documents: day.figures.checked })
  },
)

/** Returns when the last scrub ended; 0 before the first one. */
async function lastScrub(): Promise<number> {
  const at = (await running.health()).checks?.originals?.checked_at
  return typeof at === 'string' ? Date.parse(at) : 0
}

async function scrubbed(passedMs: number): Promise<void> {
  const since = simulatedNow(passedMs) - 12 * HOUR_MS
  await until('the scrub of the day', async () => (await lastScrub()) > since, 600_000)
}

/** Checks that docsearch has run its hourly and daily jobs. */
async function expectUpkeep(passedMs: number): Promise<void> {
  const now = simulatedNow(passedMs)
  const verified = await runCli(['--json', 'backup', 'verify', backups], running.daemon.env)
  expect(verified.code, verified.stderr).toBe(0)
  const names = await until('old backups to be deleted', () => {
    // A backup of this hour may be under way.
    const found = readdirSync(join(backups, 'snapshots'))
    return found.length === KEPT_BACKUPS && !found.includes('unfinished') && found
  })
  const newest = names
    .toSorted()
    .at(-1)!
    .replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z$/, '$1-$2-$3T$4:$5:$6.$7Z')
  expect(now - Date.parse(newest), newest).toBeLessThan(2 * HOUR_MS)
  expect(now - (await lastScrub()), 'since the last scrub').toBeLessThan(30 * HOUR_MS)
  // Documents leave the trash after a day. docsearch looks every six hours.
  for (const { trashed_at } of await running.documents({ trashed: true }))
    expect(now - Date.parse(trashed_at!)).toBeLessThan((24 + 7) * HOUR_MS)
}
