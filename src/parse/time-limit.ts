import type { ParserChild } from './worker/child.ts'

/** A process that yields to others is given more time, but not for ever. */
const MOST_ROUNDS = 20

export interface TimeLimit {
  /** It came further: the time begins anew. */
  refresh(): void
  clear(): void
}

/** Calls `over` once the process has had this much time; time in which others had the processor it was to yield does not count. */
export function createTimeLimit(child: Pick<ParserChild, 'owedMs'>, limitMs: number, over: () => void): TimeLimit {
  let rounds = 0
  let had: number | null = null
  let turn = 0
  let timer = setTimeout(look, limitMs)

  function look(): void {
    const mine = turn
    void child.owedMs().then((now) => {
      if (mine !== turn) return
      const left = now === null ? 0 : limitMs - (now - (had ?? now))
      had ??= now
      if (left <= 0 || ++rounds > MOST_ROUNDS) over()
      else timer = setTimeout(look, Math.min(left, limitMs))
    })
  }

  return {
    refresh() {
      turn++
      rounds = 0
      had = null
      clearTimeout(timer)
      timer = setTimeout(look, limitMs)
    },
    clear() {
      turn++
      clearTimeout(timer)
    },
  }
}
