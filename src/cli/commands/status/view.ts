import type { InstanceStatus, RecentWork, Status } from '../../../contract/status.ts'
import { countOf } from '../../../core/count-of.ts'
import { isDocsearchError } from '../../../core/errors.ts'
import { formatBytes } from '../../../core/format-bytes.ts'
import type { Context } from '../../context.ts'
import { EXIT } from '../../exit.ts'
import { widthOf } from '../../io.ts'
import { joined, oneLine, safe, type Styled } from '../../view/safe.ts'
import { ENTER_SCREEN, LEAVE_SCREEN, redraw } from '../../view/style.ts'
import { formatFields } from '../../view/table.ts'
import { localTime } from '../../view/time.ts'

type Fields = (readonly [string, string | null])[]

/** Returns one line for each part of the instance: aligned on a terminal, separated by tabs on a pipe. */
export function formatStatus(status: Status, context: Pick<Context, 'table' | 'style' | 'terminal'>): Styled {
  const { instance, documents } = status
  const fields: Fields = [
    ['status', null],
    ['version', status.version],
    ['uptime', status.uptime_s === undefined ? null : duration(status.uptime_s)],
    ['documents', documentsOf(documents)],
    ['queue', queueOf(documents, instance)],
    ...(instance === null ? [] : instanceFields(instance)),
    ...checkFields(status),
    ...(instance === null ? [] : placeFields(instance)),
  ]
  const text = stateOf(status)
  const { style } = context
  const colour = status.status === 'ok' ? style.good : style.bad
  const head = context.terminal ? safe`${colour(text)}\n` : safe`status\t${text}\n`
  return joined([head, formatFields(fields, context.table)])
}

function stateOf({ status, checks, instance }: Status): string {
  if (checks !== undefined)
    return { ok: 'ok', degraded: 'degraded: works in part', unavailable: 'unavailable: does not work' }[status]
  if (instance?.shared !== undefined)
    return status === 'ok'
      ? 'a worker runs; name a process for the API with --server to see more'
      : 'no worker runs, so uploaded documents wait; name a process for the API with --server to see whether it answers'
  return status === 'ok' ? 'a daemon runs on this folder; name it with --server to see more' : 'not running'
}

function documentsOf({ queued, processing, ready, failed }: Status['documents']): string {
  const total = queued + processing + ready + failed
  return `${countOf(total, 'document')}: ${[
    `${number(ready)} ready`,
    ...(queued > 0 ? [`${number(queued)} queued`] : []),
    ...(processing > 0 ? [`${number(processing)} in progress`] : []),
    ...(failed > 0 ? [`${number(failed)} failed`] : []),
  ].join(', ')}`
}

function queueOf({ queued, processing }: Status['documents'], instance: InstanceStatus | null): string {
  if (queued + processing === 0) return 'empty'
  const oldest = instance?.queue_oldest_s
  const waiting = `${number(queued + processing)} unfinished`
  const left = instance?.recent == null ? null : timeLeft(queued + processing, instance.recent)
  return [
    waiting,
    ...(oldest == null ? [] : [`the oldest for ${duration(oldest)}`]),
    ...(left === null ? [] : [`about ${left} left`]),
  ].join(', ')
}

/** By the speed of the last minutes. Null without a speed. */
function timeLeft(unfinished: number, { documents_ready: ready, documents_failed: failed, minutes }: RecentWork): string | null {
  const perSecond = (ready + failed) / (minutes * 60)
  return perSecond === 0 ? null : duration(unfinished / perSecond)
}

function instanceFields({ recent, index, parsers, memory, storage, users, shared }: InstanceStatus): Fields {
  const parts = [
    `database ${size(storage.database_bytes)}`,
    `originals ${size(storage.originals_bytes)}`,
    `indexes ${size(storage.indexes_bytes)}`,
    ...(shared === undefined ? [`page images ${size(storage.page_images_bytes)}`] : []),
  ]
  const { free_bytes: free, total_bytes: total } = storage
  return [
    ['searches', recent && searchesOf(recent)],
    ['indexing', recent && indexingOf(recent)],
    ['requests', recent && `${perMinute(recent.requests, recent)} a minute`],
    ['index', index && indexOf(index)],
    ['memory', memory && memoryOf(memory, index)],
    ['parsers', parsers && parsersOf(parsers)],
    ['storage', parts.join(', ')],
    ['disk', free === null || total === null ? null : `${formatBytes(free)} of ${formatBytes(total)} free`],
    ['users', users.disabled === 0 ? number(users.active) : `${number(users.active)} active, ${number(users.disabled)} disabled`],
  ]
}

function placeFields({ storage, shared }: InstanceStatus): Fields {
  if (shared === undefined) return [['folder', storage.folder]]
  const { database, store, store_problem: problem } = shared
  return [
    ['disks', 'unknown: each process has its own disk, with images of pages and copies of files'],
    ['database', database],
    ['store', problem === null ? store : `${store} cannot be read: ${oneLine(problem)}`],
  ]
}

function searchesOf(recent: RecentWork): string {
  const { search_ms: ms } = recent
  const times =
    ms === null
      ? ''
      : `, half within ${milliseconds(ms.median)}, 95 % within ${milliseconds(ms.p95)}, slowest ${milliseconds(ms.max)}`
  return `${perMinute(recent.searches, recent)} a minute${times}`
}

function indexingOf(recent: RecentWork): string {
  const failed = recent.documents_failed === 0 ? '' : `, ${perMinute(recent.documents_failed, recent)} failed`
  return `${perMinute(recent.documents_ready, recent)} documents a minute${failed}, ${perMinute(recent.passages, recent)} passages a minute`
}

function indexOf({ passages, unindexed, segments }: NonNullable<InstanceStatus['index']>): string {
  const rebuilding = unindexed === 0 ? '' : `, ${countOf(unindexed, 'passage')} being rebuilt`
  return `${countOf(passages, 'passage')} in ${countOf(segments, 'segment')}${rebuilding}`
}

function memoryOf(memory: NonNullable<InstanceStatus['memory']>, index: InstanceStatus['index']): string {
  const forIndex =
    index === null ? '' : `, index ${formatBytes(index.memory_bytes)} of at most ${formatBytes(memory.search_limit_bytes)}`
  return `${formatBytes(memory.resident_bytes)} in all${forIndex}`
}

function parsersOf({ processes, idle, waiting }: NonNullable<InstanceStatus['parsers']>): string {
  const queue = waiting === 0 ? '' : `, ${countOf(waiting, 'document')} waiting`
  return `${number(processes - idle)} of ${countOf(processes, 'process', 'processes')} busy${queue}`
}

/** The models, and every check that fails. */
function checkFields({ checks }: Status): Fields {
  if (checks === undefined) return []
  const modelOf = (check: { status: string; message: string; [fact: string]: unknown }) =>
    `${typeof check['model'] === 'string' ? check['model'] : 'none'}: ${oneLine(check.message)}`
  const failing = Object.entries(checks).flatMap(([name, check]) =>
    check === undefined || check.status === 'ok' || name === 'embedder' || name === 'reranker'
      ? []
      : [[`${name} ${check.status}`, check.message] as const],
  )
  return [['embedder', modelOf(checks.embedder)], ['reranker', modelOf(checks.reranker)], ...failing]
}

function perMinute(count: number, { minutes }: RecentWork): string {
  const rate = count / minutes
  return rate === 0 || rate >= 10 ? number(Math.round(rate)) : rate.toFixed(1)
}

function number(value: number): string {
  return value < 10_000 ? String(value) : value.toLocaleString('en')
}

function size(bytes: number | null): string {
  return bytes === null ? 'unknown' : formatBytes(bytes)
}

function milliseconds(ms: number): string {
  return ms < 1000 ? `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}

/** "12 s", "3 min 5 s", "2 h 10 min", "4 days 2 h". */
function duration(seconds: number): string {
  const units = [
    [86_400, 'days'],
    [3_600, 'h'],
    [60, 'min'],
    [1, 's'],
  ] as const
  const whole = Math.round(seconds)
  const at = units.findIndex(([size]) => whole >= size)
  if (at < 0) return '0 s'
  const [size, unit] = units[at]!
  const count = Math.floor(whole / size)
  const first = `${count} ${unit === 'days' && count === 1 ? 'day' : unit}`
  const next = units[at + 1]
  const rest = next === undefined ? 0 : Math.floor((whole % size) / next[0])
  return rest === 0 ? first : `${first} ${rest} ${next![1]}`
}

/** Errors that pass when the instance has restarted. */
const PASSING = ['unreachable', 'timeout', 'unavailable', 'rate_limited'] as const

/** Shows the status until Ctrl-C. Continues while the instance can't be reached, unless the first request fails. */
export async function watchStatus(context: Context, read: () => Promise<Status>, everySeconds: number): Promise<number> {
  const { signal } = context.io
  const first = await read()
  const screen = context.terminal ? new FullScreen(context) : new Lines(context)
  try {
    screen.show(first)
    for (;;) {
      await context.io.wait(everySeconds * 1000, signal)
      if (signal.aborted) return EXIT.cancelled
      try {
        screen.show(await read())
      } catch (error) {
        if (signal.aborted) return EXIT.cancelled
        if (!PASSING.some((code) => isDocsearchError(error, code))) throw error
        screen.showFailure((error as Error).message)
      }
    }
  } finally {
    screen.leave()
  }
}

/** Redraws the screen of a terminal, and restores its earlier content when the command ends. */
class FullScreen {
  readonly #context: Context
  #last: Styled | null = null

  constructor(context: Context) {
    this.#context = context
    context.print(ENTER_SCREEN)
  }

  show(status: Status): void {
    const { table, io, ...rest } = this.#context
    // The user may have changed the size of the window.
    this.#last = formatStatus(status, { ...rest, table: { ...table, width: widthOf(io.stdout) } })
    this.#draw('')
  }

  /** Keeps the last numbers in view. */
  showFailure(message: string): void {
    this.#draw(oneLine(message))
  }

  #draw(notice: string): void {
    const { style, io } = this.#context
    const head = safe`${style.bold(localTime(new Date().toISOString()))}  ${style.bad(notice)}\n\n`
    this.#context.print(redraw(joined([head, ...(this.#last === null ? [] : [this.#last])]), io.stdout.rows ?? 24))
  }

  leave(): void {
    this.#context.print(LEAVE_SCREEN)
  }
}

/** For pipes and --json: prints each status below the last one. */
class Lines {
  readonly #context: Context
  #isFirst = true

  constructor(context: Context) {
    this.#context = context
  }

  show(status: Status): void {
    const { json } = this.#context
    if (json) this.#context.printLine(JSON.stringify(status))
    else {
      if (!this.#isFirst) this.#context.print('\n')
      this.#context.print(formatStatus(status, this.#context))
    }
    this.#isFirst = false
  }

  showFailure(message: string): void {
    this.#context.report(`${oneLine(message)}\n`)
  }

  leave(): void {}
}
