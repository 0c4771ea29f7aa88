import type { Logger } from '../core/logger.ts'
import { type Judge, JudgeError, type JudgeFailure } from './judge.ts'
import type { JudgeSource } from './with-judge.ts'

export interface KeepOptions {
  /** Finds the model and tests it. Null when there is none to be had and none was asked for. Throws JudgeError. */
  find(signal: AbortSignal): Promise<Judge | null>
  log: Logger
  /** Milliseconds to wait for the first answer; what takes longer (a model that is loaded) goes on behind the start. */
  startMs?: number
  retry?: Retry
}

export interface Retry {
  firstMs: number
  mostMs: number
  /** For a model that answers but is no good: only another one under its name would be. */
  unsuitableMs: number
}

export interface KeptJudge extends JudgeSource {
  problem(): { code: JudgeFailure | 'reranker_testing'; message: string } | null
  close(): void
}

const RETRY: Retry = { firstMs: 1_000, mostMs: 60_000, unsuitableMs: 10 * 60_000 }
const START_MS = 3_000

/**
 * Keeps a tested judge at hand. One that fails is set aside at once, so that no search waits for it again, and tried behind the scenes after
 * pauses that grow; the searches in between go without.
 */
export async function keepJudge({ find, log, startMs = START_MS, retry = RETRY }: KeepOptions): Promise<KeptJudge> {
  const closing = new AbortController()
  let judge: Judge | null = null
  let problem: { code: JudgeFailure | 'reranker_testing'; message: string } | null = {
    code: 'reranker_testing',
    message: 'The reranker is being tested.',
  }
  let timer: NodeJS.Timeout | undefined
  let pause = retry.firstMs
  let foundAt = 0

  async function look(): Promise<void> {
    try {
      const found = await find(closing.signal)
      if (found !== null && found.name !== judge?.name) log.info({ model: found.name }, 'reranker found and tested')
      judge = found
      problem = null
      foundAt = performance.now()
      // None was asked for; one may be installed any time.
      if (found === null) later(retry.mostMs)
    } catch (error) {
      if (closing.signal.aborted) return
      setAside(error)
    }
  }

  function setAside(error: unknown): void {
    const known = error instanceof JudgeError
    if (!known) log.error({ err: error }, 'the reranker could not be tested')
    const message = known ? error.message : 'The reranker could not be tested.'
    const code = known ? error.code : 'reranker_unsuitable'
    if (message !== problem?.message) log.warn({ err: error }, 'the reranker is not used')
    // One that passes its test and fails every search is tried less and less.
    if (judge !== null && performance.now() - foundAt > retry.mostMs) pause = retry.firstMs
    judge = null
    problem = { code, message }
    later(code === 'reranker_unsuitable' ? retry.unsuitableMs : pause)
    pause = Math.min(pause * 2, retry.mostMs)
  }

  function later(ms: number): void {
    clearTimeout(timer)
    timer = setTimeout(() => void look(), ms)
    timer.unref()
  }

  const first = look()
  let starting: NodeJS.Timeout | undefined
  await Promise.race([first, new Promise<void>((resolve) => (starting = setTimeout(resolve, startMs)))])
  clearTimeout(starting)

  return {
    current: () => judge,
    reason: () => problem?.message ?? null,
    problem: () => problem,
    failed(which, error) {
      // Several searches meet the same failure.
      if (judge === which) setAside(error)
    },
    close() {
      closing.abort()
      clearTimeout(timer)
    },
  }
}
