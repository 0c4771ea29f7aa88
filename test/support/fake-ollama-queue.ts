import type { ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

/** A call to a model. */
export interface ServedWork {
  path: string
  texts: string[]
  tokens: number
}

/**
 * The order in which the fake Ollama computes: first come, first served, one call after another, at a speed in tokens per second. Like the real
 * one, it drops a call whose caller hung up while it waited, and finishes a call that it has begun.
 */
export class ServingQueue {
  readonly computed: ServedWork[] = []
  isWholeServerFrozen = false
  #tokensPerSecond = Infinity
  #limit = Infinity
  #waiting = 0
  #last: Promise<void> = Promise.resolve()
  #frozen: PromiseWithResolvers<void> | null = null

  setSpeed(tokensPerSecond: number): void {
    this.#tokensPerSecond = tokensPerSecond
  }

  limit(waiting: number): void {
    this.#limit = waiting
  }

  freeze(all: boolean): void {
    this.#frozen ??= Promise.withResolvers()
    this.isWholeServerFrozen = all
  }

  thaw(): void {
    this.#frozen?.resolve()
    this.#frozen = null
    this.isWholeServerFrozen = false
  }

  async thawed(): Promise<void> {
    await this.#frozen?.promise
  }

  /** Waits for the work's turn, and for its time. */
  async turn(work: ServedWork, response: ServerResponse): Promise<'ready' | 'full' | 'gone'> {
    if (this.#waiting >= this.#limit) return 'full'
    this.#waiting++
    const before = this.#last
    const done = Promise.withResolvers<void>()
    this.#last = done.promise
    const hungUp = new Promise<void>((resolve) => response.once('close', resolve))
    await before
    await Promise.race([this.thawed(), hungUp])
    this.#waiting--
    try {
      if (response.destroyed) return 'gone'
      this.computed.push(work)
      const ms = (work.tokens * 1000) / this.#tokensPerSecond
      if (ms > 0) await pause(ms)
      return response.destroyed ? 'gone' : 'ready'
    } finally {
      done.resolve()
    }
  }
}
