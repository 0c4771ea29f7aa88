import { Kysely } from 'kysely'
import { expect, test } from 'vitest'
import { postgresDialect } from '../../../src/records/sql/postgres/dialect.ts'
import type { PostgresServer } from '../../../src/records/sql/postgres/server.ts'

test.each([
  ['works', false],
  ['fails', true],
])('after a transaction whose rollback %s, a connection is broken: %s', async (rollback, expected) => {
  const released: boolean[] = []
  const server: PostgresServer = {
    connect: async () => ({
      async query(sql) {
        if (sql === 'rollback' && rollback === 'fails') throw new Error('no rollback')
        return { command: 'ROLLBACK', rowCount: 0, rows: [] }
      },
      release: (isBroken) => void released.push(isBroken),
    }),
    listen: async () => async () => {},
    end: async () => {},
  }
  const db = new Kysely({ dialect: postgresDialect(server) })
  const work = async () => Promise.reject(new Error('no work'))
  await expect(db.transaction().execute(work)).rejects.toThrow()
  expect(released).toEqual([expected])
})
