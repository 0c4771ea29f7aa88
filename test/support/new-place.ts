import { randomBytes } from 'node:crypto'
import { BUCKET } from './object-stores.ts'
import { withClient } from './postgres-server.ts'

/** The servers of `npm run test:shared`, as JSON in DOCSEARCH_TEST_SHARED. */
interface Servers {
  /** The address of a database in which other databases can be created. */
  admin: string
  /** The environment for the object store. */
  env: Record<string, string>
}

export interface NewPlace {
  /** The address of an empty database. */
  database: string
  /** The address of an empty part of the object store. */
  store: string
  /** The environment for the object store. */
  env: Record<string, string>
}

/** Makes a place for a new instance, and returns the environment with which processes use it. */
export async function newPlaceEnv(): Promise<Record<string, string>> {
  const { database, store, env } = await newPlace()
  return { ...env, DOCSEARCH_DATABASE: database, DOCSEARCH_STORE: store }
}

/** Makes a place for a new instance on the servers that DOCSEARCH_TEST_SHARED names. */
export async function newPlace(): Promise<NewPlace> {
  const { admin, env } = JSON.parse(process.env['DOCSEARCH_TEST_SHARED']!) as Servers
  const name = `app_${randomBytes(6).toString('hex')}`
  await withClient(admin, (client) => client.query(`create database ${name}`))
  const database = new URL(admin)
  database.pathname = `/${name}`
  return { database: database.href, store: `s3://${BUCKET}/${name}`, env }
}
