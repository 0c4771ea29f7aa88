import type { PostgresQueryResult } from 'kysely'

export interface PostgresClient {
  query(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<unknown>>
  /** Closes the connection instead if it is broken. */
  release(isBroken: boolean): void
}

/** PostgreSQL with a pool of connections: a server, or in the tests one within this process. */
export interface PostgresServer {
  /**
   * With `upgradeLockMs`, statements may take as long as they need. But they wait only this long for locks, because the statements of other processes
   * wait behind them.
   */
  connect(options?: { upgradeLockMs?: number }): Promise<PostgresClient>
  /**
   * Calls `ring` after each notification on the channel, and after a connection was lost, because notifications may be lost with it. Returns a
   * function that stops this.
   */
  listen(channel: string, ring: () => void): Promise<() => Promise<void>>
  end(): Promise<void>
}

/** Converts values of PostgreSQL's types to JavaScript's, by the number of the type. Counts and times are safe integers. */
export const PARSERS: Readonly<Record<number, (value: string) => unknown>> = {
  /** int8 */
  20: Number,
  /** numeric, which a sum of int8 is */
  1700: Number,
  /** text */
  25: decodeText,
}

/**
 * PostgreSQL's texts can't contain U+0000, and texts of documents may. This noncharacter announces the next one: `0` stands for U+0000 and `1` for
 * the noncharacter itself. Equal texts stay equal, and different texts stay different.
 */
const ESCAPE = '\u{10ffff}'
const NUL = '\u0000'

export function encodeText(text: string): string {
  if (!text.includes(NUL) && !text.includes(ESCAPE)) return text
  return text.replaceAll(ESCAPE, `${ESCAPE}1`).replaceAll(NUL, `${ESCAPE}0`)
}

function decodeText(text: string): string {
  if (!text.includes(ESCAPE)) return text
  return text.replaceAll(`${ESCAPE}0`, NUL).replaceAll(`${ESCAPE}1`, ESCAPE)
}
