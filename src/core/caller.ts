import { AsyncLocalStorage } from 'node:async_hooks'

/** With what a caller has proved who they are. `command_line` is a command on the data folder, without a running instance. */
export interface CallerCredential {
  kind: 'session' | 'key' | 'application' | 'command_line'
  /** The ID of the session, key or grant. */
  id: string | null
  /** The name of the key or the application. */
  name: string | null
  /** The end of a key. */
  lastFour: string | null
}

/** Who makes a request, and from where. The audit log names the caller of every change. */
export interface Caller {
  /** Null before the login. */
  userId: string | null
  /** Null for a command on the data folder. */
  address: string | null
  credential: CallerCredential | null
}

const callers = new AsyncLocalStorage<Caller>()

/**
 * Runs `work` on behalf of a caller: `currentCaller` returns the caller in everything that `work` awaits. The caller is not a parameter, because
 * what records a change is many calls below what knows the caller.
 */
export function callAs<T>(caller: Caller, work: () => T): T {
  return callers.run(caller, work)
}

/** Runs `work` on behalf of nobody: for what docsearch does by itself, although the work of a caller has led to it. */
export function callAsNobody<T>(work: () => T): T {
  return callers.exit(work)
}

/** Returns on whose behalf this code runs; null for what docsearch does by itself. */
export function currentCaller(): Caller | null {
  return callers.getStore() ?? null
}
