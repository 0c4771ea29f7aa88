/** In a burst of documents a place is free for a moment again and again: it is free for those aside when nobody has asked for so long. */
const CALM_MS = 1_000
/** A turn of one that stands aside while all places are wanted, and from the beginning of one to that of the next. */
const TURN_MS = 1_000
const BETWEEN_TURNS_MS = 30_000

export interface Places {
  /**
   * A place, in order of asking, what is urgent first. Rejects with the signal's reason where that is aborted before.
   * @param pause Called when the document has lost its place, and whenever it is to stand still again.
   * @param goOn Called when it may go on without a place.
   */
  take(options: { urgent: boolean; signal: AbortSignal | undefined; pause: () => void; goOn: () => void }): Promise<Place>
}

export interface Place {
  /** It holds up what waits, or no longer does. */
  slow(isSlow: boolean): void
  end(): void
}

interface Holder {
  urgent: boolean
  start: () => void
  pause: () => void
  goOn: () => void
}

/**
 * So many places, and one more for what is urgent. A document that is slow loses its place to one that waits, as long as no more than
 * `mostAside` have lost theirs. It stands aside until there is a place that nobody has wanted for a while, and goes on there until
 * somebody does; where that never comes, those aside take turns of a second, every half minute one of them, so that each comes to its end.
 */
export function createPlaces(count: number, mostAside: number): Places {
  const waiting: Holder[] = []
  /** Those in a place that could give it up, the one that is slow for longest first. */
  const slow = new Set<Holder>()
  /** The one that went on longest ago first. */
  const aside = new Set<Holder>()
  /** Those of them that are in a place nobody wants. */
  const goingOn = new Set<Holder>()
  /** One more of them, whose turn it is. */
  let turn: Holder | null = null
  let calm = true
  let calming: NodeJS.Timeout | undefined
  let taken = 0
  let timer: NodeJS.Timeout | undefined

  function giveOut(): void {
    for (;;) {
      const next = waiting.find(({ urgent }) => urgent) ?? waiting[0]
      if (next === undefined) break
      while (taken + goingOn.size >= count + (next.urgent ? 1 : 0)) if (!pauseOne() && !makeRoom()) return
      waiting.splice(waiting.indexOf(next), 1)
      taken++
      next.start()
    }
    for (const holder of calm ? aside : []) {
      if (taken + goingOn.size >= count) return
      if (goingOn.has(holder)) continue
      if (turn === holder) turn = null
      else letGoOn(holder)
      goingOn.add(holder)
    }
  }

  function askedNow(): void {
    calm = false
    clearTimeout(calming)
    calming = setTimeout(() => {
      calm = true
      giveOut()
    }, CALM_MS).unref()
  }

  function pauseOne(): boolean {
    const [holder] = goingOn
    if (holder === undefined) return false
    goingOn.delete(holder)
    holder.pause()
    return true
  }

  function makeRoom(): boolean {
    const [holder] = slow
    if (holder === undefined || aside.size >= mostAside) return false
    slow.delete(holder)
    taken--
    aside.add(holder)
    holder.pause()
    askedNow()
    timer ??= setInterval(beginTurn, BETWEEN_TURNS_MS).unref()
    return true
  }

  function beginTurn(): void {
    const [holder] = aside
    if (holder === undefined || goingOn.size > 0) return
    turn = holder
    letGoOn(holder)
    setTimeout(() => {
      if (turn !== holder) return
      turn = null
      holder.pause()
    }, TURN_MS).unref()
  }

  /** It is the last then to do so again. */
  function letGoOn(holder: Holder): void {
    aside.delete(holder)
    aside.add(holder)
    holder.goOn()
  }

  function endAside(holder: Holder): void {
    aside.delete(holder)
    goingOn.delete(holder)
    if (turn === holder) turn = null
    if (aside.size > 0) return
    clearInterval(timer)
    clearTimeout(calming)
    timer = undefined
    calm = true
  }

  return {
    async take({ urgent, signal, pause, goOn }) {
      signal?.throwIfAborted()
      if (aside.size > 0) askedNow()
      const holder: Holder = { urgent, start: () => {}, pause, goOn }
      await new Promise<void>((resolve, reject) => {
        const abort = (): void => {
          waiting.splice(waiting.indexOf(holder), 1)
          reject(signal?.reason as Error)
        }
        holder.start = () => {
          signal?.removeEventListener('abort', abort)
          resolve()
        }
        signal?.addEventListener('abort', abort, { once: true })
        waiting.push(holder)
        giveOut()
      })
      return {
        slow(isSlow) {
          if (aside.has(holder) || slow.has(holder) === isSlow) return
          if (!isSlow) return void slow.delete(holder)
          slow.add(holder)
          giveOut()
        },
        end() {
          slow.delete(holder)
          if (aside.has(holder)) endAside(holder)
          else taken--
          giveOut()
        },
      }
    },
  }
}
