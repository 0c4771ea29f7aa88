import { Turns } from '../../core/turns.ts'

/**
 * Between two documents of a burst a slot is free for a moment. A displaced document resumes only after no document has asked for
 * a slot for this long.
 */
const CALM_MS = 1_000
/** While all slots are in use, one displaced document runs this long ... */
const TURN_MS = 1_000
/** ... once in this time. */
const TURN_INTERVAL_MS = 30_000

/** After this long in its slot, a document gives way to a document of a user with fewer slots. */
const QUANTUM_MS = 500

/**
 * - `waiting`: asked for a slot and has none yet.
 * - `running`: has a slot.
 * - `slow`: has a slot, and loses it to the next waiting document of its user.
 * - `yielded`: lost its slot to another user's document, does not run, and gets the next slot of its user.
 * - `paused`: displaced, because it lost its slot for being slow, and does not run.
 * - `resumed`: displaced, and runs in a slot that no other document is waiting for.
 * - `turn`: displaced, and runs for a second although all slots are in use.
 * - `released`: needs no slot any more.
 */
export type SlotState = 'waiting' | 'running' | 'slow' | 'yielded' | 'paused' | 'resumed' | 'turn' | 'released'

export interface SlotRequest {
  /** The user whose document it is. */
  owner: string
  urgent: boolean
  signal: AbortSignal | undefined
  /** Called when the document must stop running. */
  pause: () => void
  /** Called when the document may run again although it has lost its slot. */
  resume: () => void
}

export interface Slot {
  readonly state: SlotState
  /** Says how the document does. Call it often: it also ends the document's time when another user's document waits. */
  setSlow(isSlow: boolean): void
  release(): void
}

interface Holder {
  readonly owner: string
  readonly urgent: boolean
  readonly start: () => void
  readonly pause: () => void
  readonly resume: () => void
  state: SlotState
  /** When the document got its slot. */
  since: number
}

/**
 * Gives out `count` slots, and one more for an urgent document.
 *
 * Users share the slots. The next slot goes to the user with the fewest slots, and among equals to the one who got a slot longest
 * ago. A user's urgent documents come before the user's other documents, but not before other users', so that nobody starves
 * other users. A document gives way to a document of a user with two slots fewer. After half a second, it also gives way to a
 * document of a user with one slot fewer.
 *
 * A slow document also loses its slot to a waiting one of the same user. It is paused until a slot stays free, and then runs
 * there until another document wants the slot. If no slot becomes free, the displaced documents take turns, so that each of them
 * comes to its end. At most `maxDisplaced` documents have lost their slots at the same time.
 */
export class Slots {
  private readonly count: number
  private readonly maxDisplaced: number
  /** The documents in each state, first the one that entered it first. */
  private readonly in: Readonly<Record<Exclude<SlotState, 'released'>, Set<Holder>>> = {
    waiting: new Set(),
    running: new Set(),
    slow: new Set(),
    yielded: new Set(),
    paused: new Set(),
    resumed: new Set(),
    turn: new Set(),
  }
  private readonly turns = new Turns()
  /** True if no document has asked for a slot for CALM_MS. Tracked only while a document is displaced. */
  private isCalm = true
  private calmTimer: NodeJS.Timeout | undefined
  private turnTimer: NodeJS.Timeout | undefined

  constructor(count: number, maxDisplaced: number) {
    this.count = count
    this.maxDisplaced = maxDisplaced
  }

  /** Waits for a slot. Rejects with the signal's reason if it is aborted first. */
  async take({ owner, urgent, signal, pause, resume }: SlotRequest): Promise<Slot> {
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
      const holder: Holder = { owner, urgent, start, pause, resume, state: 'waiting', since: 0 }
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
        if (holder.state === from) this.move(holder, to)
        if (holder.state === 'running' || holder.state === 'slow') this.assign()
      },
      release: () => {
        this.move(holder, 'released')
        if (this.displacedCount === 0) this.stopTimers()
        this.assign()
      },
    }
  }

  private move(holder: Holder, to: SlotState): void {
    if (holder.state !== 'released') this.in[holder.state].delete(holder)
    holder.state = to
    if (to !== 'released') this.in[to].add(holder)
  }

  /** How many documents wait for their first slot. */
  get waitingCount(): number {
    return this.in.waiting.size
  }

  private get displacedCount(): number {
    return this.in.yielded.size + this.in.paused.size + this.in.resumed.size + this.in.turn.size
  }

  /** Slots in use. A turn uses none. */
  private get used(): number {
    return this.in.running.size + this.in.slow.size + this.in.resumed.size
  }

  /** True while an urgent document runs, which leaves the other slots to the rest. */
  private get hasUrgent(): boolean {
    return [...this.in.running, ...this.in.slow].some(({ urgent }) => urgent)
  }

  private usedBy(owner: string): number {
    return countOf(owner, this.in.running) + countOf(owner, this.in.slow) + countOf(owner, this.in.resumed)
  }

  private assign(): void {
    while (this.candidates().some((next) => this.tryGive(next)));
    if (this.isCalm) this.resumeDisplaced()
  }

  /** Returns the next document of each user, in the order in which the users get slots. Of a user, urgent documents come first. */
  private candidates(): Holder[] {
    const heads = new Map<string, Holder>()
    for (const holder of [...this.in.yielded, ...this.in.waiting, ...this.in.paused]) {
      if (holder.state === 'paused' && !this.isOnlyWork(holder)) continue
      const head = heads.get(holder.owner)
      if (head === undefined || (holder.urgent && !head.urgent)) heads.set(holder.owner, holder)
    }
    return [...heads.values()].toSorted(
      (a, b) => this.usedBy(a.owner) - this.usedBy(b.owner) || this.turns.of(a.owner) - this.turns.of(b.owner),
    )
  }

  /** Returns true if only other users have slots or wait for them. Then a paused document shares the slots like any other. */
  private isOnlyWork({ owner }: Holder): boolean {
    const { waiting, running, slow, yielded, resumed, turn } = this.in
    const others = [...waiting, ...running, ...slow, ...yielded]
    return others.length > 0 && countOf(owner, [...others, ...resumed, ...turn]) === 0
  }

  private tryGive(next: Holder): boolean {
    const available = this.count + (next.urgent || this.hasUrgent ? 1 : 0)
    while (this.used >= available) if (!this.pauseResumed() && !this.displaceFor(next)) return false
    const isNew = next.state === 'waiting'
    this.move(next, 'running')
    next.since = performance.now()
    this.turns.note(next.owner)
    if (isNew) next.start()
    else next.resume()
    return true
  }

  private pauseResumed(): boolean {
    const [holder] = this.in.resumed
    if (holder === undefined) return false
    this.move(holder, 'paused')
    holder.pause()
    return true
  }

  private displaceFor(next: Holder): boolean {
    if (this.displacedCount - (isDisplaced(next) ? 1 : 0) >= this.maxDisplaced) return false
    const holder = this.ownSlowDocument(next) ?? this.documentToYield(next)
    if (holder === undefined) return false
    const isSlow = holder.state === 'slow'
    this.move(holder, isSlow ? 'paused' : 'yielded')
    holder.pause()
    this.noteRequest()
    if (isSlow) this.turnTimer ??= setInterval(() => this.beginTurn(), TURN_INTERVAL_MS).unref()
    return true
  }

  /**
   * Returns a slow document of the same user, unless this user already has most of the displaced documents. The last quarter of
   * `maxDisplaced` is reserved for other users.
   */
  private ownSlowDocument({ owner, state }: Holder): Holder | undefined {
    const { yielded, paused, resumed, turn, slow } = this.in
    const own = countOf(owner, [...yielded, ...paused, ...resumed, ...turn])
    if (state !== 'waiting' || own >= this.maxDisplaced - Math.floor(this.maxDisplaced / 4)) return undefined
    return [...slow].find((holder) => holder.owner === owner)
  }

  /**
   * Returns the document that has to give way to another user's document: of the user with the most slots, the slow one or else
   * the one that ran longest.
   */
  private documentToYield(next: Holder): Holder | undefined {
    const now = performance.now()
    const used = this.usedBy(next.owner)
    const lead = ({ owner }: Holder): number => this.usedBy(owner) - used
    const hasToYield = (holder: Holder): boolean => {
      if (holder.owner === next.owner || (holder.urgent && holder.state !== 'slow')) return false
      return lead(holder) >= 2 || (lead(holder) === 1 && (holder.state === 'slow' || now - holder.since >= QUANTUM_MS))
    }
    return [...this.in.slow, ...this.in.running]
      .filter(hasToYield)
      .toSorted((a, b) => lead(b) - lead(a) || Number(b.state === 'slow') - Number(a.state === 'slow') || a.since - b.since)[0]
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

function countOf(owner: string, holders: Iterable<Holder>): number {
  let count = 0
  for (const holder of holders) if (holder.owner === owner) count += 1
  return count
}

function isDisplaced({ state }: Holder): boolean {
  return state === 'yielded' || state === 'paused' || state === 'resumed' || state === 'turn'
}
