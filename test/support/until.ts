import { setTimeout as pause } from 'node:timers/promises'

type Falsy = false | 0 | '' | null | undefined

/**
 * Calls `check` until it returns something truthy, and returns that. The deadline is generous because machines are slow; it
 * only ends a wait that would never end. An error from `check` ends the wait at once.
 */
export async function until<T>(what: string, check: () => Promise<T | Falsy> | T | Falsy, withinMs = 120_000): Promise<T> {
  const deadline = performance.now() + withinMs
  for (;;) {
    const found = await check()
    if (found) return found
    if (performance.now() > deadline) throw new Error(`waited ${withinMs / 1000} s in vain: ${what}`)
    await pause(20)
  }
}

/** Returns the promise's value, or throws an error that says what did not happen in time. */
export async function within<T>(what: string, promise: Promise<T>, withinMs = 120_000): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`waited ${withinMs / 1000} s in vain: ${what}`)), withinMs)
  })
  return await Promise.race([promise, late]).finally(() => clearTimeout(timer))
}
