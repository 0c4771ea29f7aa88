import { z } from 'zod'
import type { Source } from './data-dir.ts'

export const ROLES = ['all', 'api', 'worker'] as const

/** Where the processes of one instance keep the data that they share. */
export interface SharedPlace {
  /** The address of the PostgreSQL database, which can contain a password. Never show or log it: `withHiddenPassword`. */
  database: string
  /** The address of the object store, such as `s3://bucket/prefix`. */
  store: string
  role: (typeof ROLES)[number]
}

const DATABASE = 'must be an address such as postgres://user@host/database'
const STORE = 'must be an address such as s3://bucket/prefix'

export const databaseAddress = z
  .string(DATABASE)
  .refine((text) => /^postgres(?:ql)?:\/\//.test(text) && URL.parse(text.replace(/^\w+/, 'http')) !== null, DATABASE)

export const storeAddress = z.string(STORE).regex(/^s3:\/\/[^/\s]/, STORE)

/** Hides the password in the address of a database, even if the address is not valid. */
export function withHiddenPassword(address: unknown): unknown {
  if (typeof address !== 'string') return address
  return address.replace(/(\/\/[^/?#\s:@]*:)[^/?#\s]*@/, '$1***@').replace(/([?&]password=)[^&#\s]*/gi, '$1***')
}

/** Returns the problems in the combination of the settings. */
export function problemsOfPlace(
  { database, store, role }: Record<keyof SharedPlace, unknown>,
  sources: Record<keyof SharedPlace, Source | undefined>,
): string[] {
  const problems: string[] = []
  if (database !== null && store === null)
    problems.push('store must be set too: an instance with a PostgreSQL database keeps its files in an object store')
  if (store !== null && database === null)
    problems.push('database must be set too: an instance with an object store keeps its records in PostgreSQL')
  if (database === null && store === null && role !== 'all')
    problems.push(`role ${String(role)} needs database and store: an instance in a data folder is one process`)
  // Every user of the machine can list the arguments of processes.
  if (sources.database === 'flag' && withHiddenPassword(database) !== database)
    problems.push('--database must not contain a password: put it into DOCSEARCH_DATABASE, PGPASSWORD or a service file')
  return problems
}
