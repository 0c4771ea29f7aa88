/** How often it is looked whether those aside may go on, and how many such looks there are to a turn of one of them. */
const LOOK_MS = 1_000
const LOOKS_PER_TURN = 30

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
 * So many places, and one more for what is urgent. A document that is slow loses its place to one that waits, as long as no more
 * than `mostAside` have lost theirs. It stands aside until nobody has had or wanted a place for a while, and goes on until
 * somebody does; where that never comes, those aside take turns of a second, every half minute one of them, so that each comes to
 * its end.
 */
export function createPlaces(count: number, mostAside: number): Places {
  const waiting: Holder[] = []
  /** Those in a place that could give it up, the one that is slow for longest first. */
  const slow = new Set<Holder>()
  /** The one that had its turn longest ago first. */
  const aside = new Set<Holder>()
  const goingOn = new Set<Holder>()
  let taken = 0
  let quiet = false
  /** Somebody had or wanted a place since the last look. */
  let wanted = false
  let looks = 0
  let timer: NodeJS.Timeout | undefined

  function giveOut(): void {
    for (;;) {
      const next = waiting.find(({ urgent }) => urgent) ?? waiting[0]
      if (next === undefined) return
      while (taken >= count + (next.urgent ? 1 : 0)) if (!makeRoom()) return
      waiting.splice(waiting.indexOf(next), 1)
      taken++
      next.start()
    }
  }

  function makeRoom(): boolean {
    const [holder] = slow
    if (holder === undefined || aside.size >= mostAside) return false
    slow.delete(holder)
    taken--
    aside.add(holder)
    holder.pause()
    timer ??= setInterval(look, LOOK_MS).unref()
    return true
  }

  function look(): void {
    const busy = taken > 0 || waiting.length > 0
    quiet = !busy && !wanted
    wanted = busy
    if (quiet) return letGoOn(count)
    pauseAll()
    looks = (looks + 1) % LOOKS_PER_TURN
    if (looks === 0) letGoOn(1)
  }

  function letGoOn(most: number): void {
    for (const holder of aside) {
      if (goingOn.size >= most) return
      if (goingOn.has(holder)) continue
      aside.delete(holder)
      aside.add(holder)
      goingOn.add(holder)
      holder.goOn()
    }
  }

  function pauseAll(): void {
    for (const holder of goingOn) holder.pause()
    goingOn.clear()
  }

  function endAside(holder: Holder): void {
    aside.delete(holder)
    goingOn.delete(holder)
    if (quiet) letGoOn(count)
    if (aside.size > 0) return
    clearInterval(timer)
    timer = undefined
    looks = 0
    quiet = false
  }

  return {
    async take({ urgent, signal, pause, goOn }) {
      signal?.throwIfAborted()
      wanted = true
      if (quiet) pauseAll()
      quiet = false
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
