import { PGlite, type Results } from '@electric-sql/pglite'
import { PARSERS, type PostgresServer } from '../../src/records/sql/postgres/server.ts'

let shared: Promise<PGlite> | undefined

/** Returns PostgreSQL within this process. It takes seconds to start, so all tests of a file share one. */
export async function pgliteServer(): Promise<PostgresServer> {
  shared ??= PGlite.create({ parsers: { ...PARSERS } })
  const database = await shared
  const turns = new Turns()
  return {
    async connect() {
      const end = await turns.take()
      return {
        async query(sql, parameters) {
          const { rows, rowCount, command } = (await database.query(sql, [...parameters])) as Results & {
            rowCount: number
            command: string
          }
          return { rows, rowCount, command } as never
        },
        release: end,
      }
    },
    listen: (channel, ring) => database.listen(channel, ring),
    end: async () => {},
  }
}

/** PGlite has one connection. */
class Turns {
  #last: Promise<void> = Promise.resolve()

  async take(): Promise<() => void> {
    const before = this.#last
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#last = promise
    await before
    return resolve
  }
}
