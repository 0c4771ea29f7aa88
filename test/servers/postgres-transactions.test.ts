import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { silentLogger } from '../../src/core/logger.ts'
import { pgServer } from '../../src/records/sql/postgres/pg-server.ts'
import type { PostgresClient, PostgresServer } from '../../src/records/sql/postgres/server.ts'
import { hasPostgres, type RunningPostgres, startPostgres } from '../support/postgres-server.ts'

describe.skipIf(!hasPostgres)('a transaction of a PostgreSQL server', () => {
  let postgres: RunningPostgres
  let server: PostgresServer
  beforeAll(async () => {
    postgres = await startPostgres()
    server = await pgServer({ url: await postgres.database(), log: silentLogger, connections: 2 })
  })
  afterAll(async () => {
    await server.end()
    await postgres.stop()
  })

  const connect = async (): Promise<PostgresClient> => {
    const client = await server.connect()
    onTestFinished(() => client.release(false))
    return client
  }
  /** Makes a table. Returns a function that reads it on another connection. */
  const makeTable = async (name: string) => {
    const observer = await connect()
    await observer.query(`create table ${name} (n integer primary key)`, [])
    return async () => (await observer.query(`select n from ${name} order by n`, [])).rows.map((row) => (row as { n: number }).n)
  }

  test.each([
    ['without parameters', 'values (1)', []],
    ['with parameters', 'values ($1)', [1]],
  ])('hides its first statement %s until the commit, and undoes it in a rollback', async (what, values, parameters) => {
    const name = what.replaceAll(' ', '_')
    const rows = await makeTable(name)
    const client = await connect()
    await client.query('begin', [])
    const first = await client.query(`insert into ${name} ${values} returning n`, parameters)
    expect(first).toMatchObject({ command: 'INSERT', rowCount: 1, rows: [{ n: 1 }] })
    expect(await rows()).toEqual([])
    await client.query('rollback', [])
    expect(await rows()).toEqual([])
    await client.query('begin', [])
    await client.query(`insert into ${name} ${values}`, parameters)
    await client.query(`insert into ${name} values (2)`, [])
    expect(await rows()).toEqual([])
    await client.query('commit', [])
    expect(await rows()).toEqual([1, 2])
  })

  test('whose first statement fails leaves nothing, and its connection still works', async () => {
    const rows = await makeTable('failing')
    const client = await connect()
    await client.query('begin', [])
    await expect(client.query('insert into failing values (1), (1)', [])).rejects.toMatchObject({ code: '23505' })
    await expect(client.query('insert into failing values (3)', [])).rejects.toMatchObject({ code: '25P02' })
    await client.query('rollback', [])
    await client.query('insert into failing values (4)', [])
    expect(await rows()).toEqual([4])
  })

  test.each(['commit', 'rollback'])('without a statement ends with its %s', async (end) => {
    const rows = await makeTable(`ended_by_${end}`)
    const client = await connect()
    await client.query('begin', [])
    await client.query(end, [])
    await client.query(`insert into ended_by_${end} values (1)`, [])
    expect(await rows()).toEqual([1])
  })
})
