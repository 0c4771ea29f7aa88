/**
 * Between two documents of a burst a slot is free for a moment. A displaced document resumes only after no document has asked for
 * a slot for this long.
 */
const CALM_MS = 1_000
/** While all slots are in use, one displaced document runs this long ... */
const TURN_MS = 1_000
/** ... once in this time. */
const TURN_INTERVAL_MS = 30_000

/**
 * - `waiting`: asked for a slot and has none yet.
 * - `running`: has a slot.
 * - `slow`: has a slot and loses it to the next waiting document.
 * - `paused`: lost its slot (is displaced) and does not run.
 * - `resumed`: displaced, and runs in a slot that no other document is waiting for.
 * - `turn`: displaced, and runs for a second although all slots are in use.
 * - `released`: needs no slot any more.
 */
export type SlotState = 'waiting' | 'running' | 'slow' | 'paused' | 'resumed' | 'turn' | 'released'

export interface SlotRequest {
  urgent: boolean
  signal: AbortSignal | undefined
  /** Called when the document must stop running. */
  pause: () => void
  /** Called when the document may run again although it has lost its slot. */
  resume: () => void
}

export interface Slot {
  readonly state: SlotState
  /** A slow document holds up the documents that wait. */
  setSlow(isSlow: boolean): void
  release(): void
}

interface Holder {
  readonly urgent: boolean
  readonly start: () => void
  readonly pause: () => void
  readonly resume: () => void
  state: SlotState
}

/**
 * Gives out `count` slots, and one more for an urgent document.
 *
 * A slow document loses its slot to a waiting one, unless `maxDisplaced` documents have lost theirs already. A displaced document
 * is paused until a slot stays free, and then runs there until another document wants the slot. If no slot becomes free, the
 * displaced documents take turns, so that each of them comes to its end.
 */
export class Slots {
  private readonly count: number
  private readonly maxDisplaced: number
  /** The documents in each state, first the one that entered it first. */
  private readonly in: Readonly<Record<Exclude<SlotState, 'released'>, Set<Holder>>> = {
    waiting: new Set(),
    running: new Set(),
    slow: new Set(),
    paused: new Set(),
    resumed: new Set(),
    turn: new Set(),
  }
  /** True if no document has asked for a slot for CALM_MS. Tracked only while a document is displaced. */
  private isCalm = true
  private calmTimer: NodeJS.Timeout | undefined
  private turnTimer: NodeJS.Timeout | undefined

  constructor(count: number, maxDisplaced: number) {
    this.count = count
    this.maxDisplaced = maxDisplaced
  }

  /** Waits for a slot: urgent documents first, then in the order of the calls. Rejects with the signal's reason if it is aborted first. */
  async take({ urgent, signal, pause, resume }: SlotRequest): Promise<Slot> {
    signal?.throwIfAborted()
    if (this.displacedCount > 0) this.noteRequest()
    return new Promise((resolve, reject) => {
      const start = (): void => {
        signal?.removeEventListener('abort', abort)
        resolve(this.slotOf(holder))
      }
      const abort = (): void => {
        this.move(holder, 'released')
        reject(signal?.reason as Error)
      }
      const holder: Holder = { urgent, start, pause, resume, state: 'waiting' }
      signal?.addEventListener('abort', abort, { once: true })
      this.in.waiting.add(holder)
      this.assign()
    })
  }

  private slotOf(holder: Holder): Slot {
    return {
      get state() {
        return holder.state
      },
      setSlow: (isSlow) => {
        const [from, to] = isSlow ? (['running', 'slow'] as const) : (['slow', 'running'] as const)
        if (holder.state !== from) return
        this.move(holder, to)
        if (isSlow) this.assign()
      },
      release: () => {
        const wasDisplaced = isDisplaced(holder)
        this.move(holder, 'released')
        if (wasDisplaced && this.displacedCount === 0) this.stopTimers()
        this.assign()
      },
    }
  }

  private move(holder: Holder, to: SlotState): void {
    if (holder.state !== 'released') this.in[holder.state].delete(holder)
    holder.state = to
    if (to !== 'released') this.in[to].add(holder)
  }

  private get displacedCount(): number {
    return this.in.paused.size + this.in.resumed.size + this.in.turn.size
  }

  /** Slots in use. A turn uses none. */
  private get used(): number {
    return this.in.running.size + this.in.slow.size + this.in.resumed.size
  }

  private assign(): void {
    for (let next = this.nextWaiting(); next !== undefined; next = this.nextWaiting()) {
      const available = this.count + (next.urgent ? 1 : 0)
      while (this.used >= available) if (!this.pauseResumed() && !this.displaceSlow()) return
      this.move(next, 'running')
      next.start()
    }
    if (this.isCalm) this.resumeDisplaced()
  }

  private nextWaiting(): Holder | undefined {
    const waiting = [...this.in.waiting]
    return waiting.find(({ urgent }) => urgent) ?? waiting[0]
  }

  private pauseResumed(): boolean {
    const [holder] = this.in.resumed
    if (holder === undefined) return false
    this.move(holder, 'paused')
    holder.pause()
    return true
  }

  private displaceSlow(): boolean {
    const [holder] = this.in.slow
    if (holder === undefined || this.displacedCount >= this.maxDisplaced) return false
    this.move(holder, 'paused')
    holder.pause()
    this.noteRequest()
    this.turnTimer ??= setInterval(() => this.beginTurn(), TURN_INTERVAL_MS).unref()
    return true
  }

  private resumeDisplaced(): void {
    for (const holder of [...this.in.paused, ...this.in.turn]) {
      if (this.used >= this.count) return
      const isRunning = holder.state === 'turn'
      this.move(holder, 'resumed')
      if (!isRunning) holder.resume()
    }
  }

  private noteRequest(): void {
    this.isCalm = false
    clearTimeout(this.calmTimer)
    this.calmTimer = setTimeout(() => {
      this.isCalm = true
      this.assign()
    }, CALM_MS).unref()
  }

  /** Gives a turn to the document that has been paused for longest. */
  private beginTurn(): void {
    const [holder] = this.in.paused
    if (holder === undefined || this.in.resumed.size > 0) return
    this.move(holder, 'turn')
    holder.resume()
    setTimeout(() => {
      if (holder.state !== 'turn') return
      this.move(holder, 'paused')
      holder.pause()
    }, TURN_MS).unref()
  }

  private stopTimers(): void {
    clearInterval(this.turnTimer)
    clearTimeout(this.calmTimer)
    this.turnTimer = undefined
    this.isCalm = true
  }
}

function isDisplaced({ state }: Holder): boolean {
  return state === 'paused' || state === 'resumed' || state === 'turn'
}
