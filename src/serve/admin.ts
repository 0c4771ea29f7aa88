import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createAccounts } from '../auth/create-accounts.ts'
import { reachableAddress } from '../client/address.ts'
import type { Client } from '../client/client.ts'
import { lastLocalInstance } from '../client/credentials/local.ts'
import { loadConfig } from '../config/load.ts'
import type { Config } from '../config/config.ts'
import { oauthClientCreate, oauthClientRotate, oauthClientUpdate } from '../contract/clients.ts'
import { userCreate, userListQuery, userUpdate } from '../contract/users.ts'
import { systemClock } from '../core/clock.ts'
import { DocsearchError } from '../core/errors.ts'
import { registeredClients } from '../http/api/clients/registered.ts'
import { createPeople } from '../http/api/users/people.ts'
import { pageRequest } from '../http/page.ts'
import { validate } from '../http/validate.ts'
import { createClients } from '../oauth/clients.ts'
import { openRecords } from '../records/sql/open.ts'
import { daemonOf, isDataFolder, makeUsable } from './data-folder.ts'
import { createLogger } from './logging.ts'
import type { ServeOutput } from './main.ts'

const DEFAULT_PORT = 4747

/** What the client of the API offers, without an instance. */
export type LocalAdministration = Pick<Client, 'users' | 'clients'> & { close(): Promise<void> }

/**
 * Users and applications of a data folder, as its owner, whether or not a daemon runs on it: only the records are opened, and what a
 * deletion leaves in the index a daemon takes out later. `mayCreate`: a folder that is missing or empty becomes a data folder.
 * Throws `data_unusable`, `data_newer`, `database_corrupt`, `invalid_configuration`.
 */
export async function openAdministration(
  flags: { data: string; publicUrl?: string },
  output: ServeOutput,
  { mayCreate }: { mayCreate: boolean },
): Promise<LocalAdministration> {
  const { config } = await loadConfig(flags, output.env)
  const dir = config.dataDir
  // Whether it is one is looked at last: another process may be making it, and then it is neither free nor somebody else's.
  const usable = (mayCreate && (await isFree(dir))) || isDataFolder(dir)
  if (!usable) {
    throw new DocsearchError(
      'data_unusable',
      `${dir} is not a data folder of docsearch. Name one with --data; \`docsearch users add EMAIL\` makes one of an empty folder.`,
    )
  }
  await makeUsable(dir)
  const log = createLogger(config.logLevel, output.stderr)
  const records = await openRecords({ file: join(dir, 'docsearch.db'), clock: systemClock, log })
  const address = await addressOfLinks(config, flags.publicUrl !== undefined, output.env)
  const people = createPeople({
    records,
    accounts: createAccounts({ records, clock: systemClock, loginFailures: config.loginFailures, log }),
    baseUrl: () => address,
    deleteUser: async (id) => (await records.users.delete(id))?.documentIds.length ?? null,
  })
  const registry = createClients({ records: records.oauth.clients, clock: systemClock })

  async function applications() {
    const owner = await records.users.owner()
    if (owner === null)
      throw new DocsearchError(
        'no_owner',
        'There is no owner yet to register applications for. `docsearch users add EMAIL` makes one.',
      )
    return registeredClients(registry, owner.id)
  }

  return {
    users: {
      list: async (page) => people.list(pageRequest(validate(userListQuery, page ?? {}))),
      create: async (person) => people.add(validate(userCreate, person)),
      get: (idOrEmail) => people.get(idOrEmail),
      update: async (idOrEmail, change) => people.update(idOrEmail, validate(userUpdate, change)),
      reset: (idOrEmail) => people.reset(idOrEmail),
      delete: (idOrEmail) => people.delete(idOrEmail),
    },
    clients: {
      list: async () => (await applications()).list(),
      create: async (application) => (await applications()).create(validate(oauthClientCreate, application)),
      get: async (id) => (await applications()).get(id),
      update: async (id, change) => (await applications()).update(id, validate(oauthClientUpdate, change)),
      rotate: async (id, settings) => (await applications()).rotate(id, validate(oauthClientRotate, settings ?? {})),
      delete: async (id) => (await applications()).delete(id),
    },
    close: () => records.close(),
  }
}

/** As asked for, as the daemon here says, as configured, as it was last served by this user, or where it would be served. */
async function addressOfLinks(config: Config, isAsked: boolean, env: ServeOutput['env']): Promise<string> {
  const { dataDir, publicUrl, host, port } = config
  const served = daemonOf(dataDir)?.base_url
  if (!isAsked && typeof served === 'string') return served
  if (publicUrl !== null) return publicUrl
  const last = await lastLocalInstance(env)
  if (last?.dataDir === dataDir) return last.address
  return reachableAddress(`http://${host.includes(':') ? `[${host}]` : host}:${port === 0 ? DEFAULT_PORT : port}`)
}

/** Nothing is in it but what may lie there before the first start: settings, hidden files, what a file system needs. */
async function isFree(dir: string): Promise<boolean> {
  try {
    return (await readdir(dir)).every((name) => name === 'config.json' || name === 'lost+found' || name.startsWith('.'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true
    throw new DocsearchError(
      'data_unusable',
      `${dir} cannot be read: ${(error as Error).message}. Name another folder with --data.`,
      {
        cause: error,
      },
    )
  }
}
