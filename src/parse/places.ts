export interface Places {
  /**
   * A place, in order of asking, what is urgent first. Rejects with the signal's reason where that is aborted before.
   * @param giveWay Called when the document has lost its place and goes on beside the others.
   */
  take(options: { urgent: boolean; signal: AbortSignal | undefined; giveWay: () => void }): Promise<Place>
}

export interface Place {
  /** It holds up what waits, or no longer does. */
  slow(isSlow: boolean): void
  end(): void
}

interface Holder {
  urgent: boolean
  start: () => void
  leave: () => void
}

/**
 * So many places, and one more for what is urgent. A document that is slow loses its place to one that waits, as long as no more
 * than `mostBeside` go on beside the others.
 */
export function createPlaces(count: number, mostBeside: number): Places {
  const waiting: Holder[] = []
  /** Those in a place that could give it up, the one that is slow for longest first. */
  const slow = new Set<Holder>()
  let taken = 0
  let beside = 0

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
    if (holder === undefined || beside >= mostBeside) return false
    slow.delete(holder)
    taken--
    beside++
    holder.leave()
    return true
  }

  return {
    async take({ urgent, signal, giveWay }) {
      signal?.throwIfAborted()
      let isBeside = false
      const holder: Holder = {
        urgent,
        start: () => {},
        leave() {
          isBeside = true
          giveWay()
        },
      }
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
          if (isBeside || slow.has(holder) === isSlow) return
          if (!isSlow) return void slow.delete(holder)
          slow.add(holder)
          giveOut()
        },
        end() {
          slow.delete(holder)
          if (isBeside) beside--
          else taken--
          giveOut()
        },
      }
    },
  }
}
