import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createAccounts } from '../auth/accounts.ts'
import { reachableAddress } from '../client/address.ts'
import type { Client } from '../client/client.ts'
import { lastLocalInstance } from '../client/credentials/local.ts'
import { daemonOf } from '../client/local-daemon.ts'
import { loadConfig } from '../config/load.ts'
import type { Config } from '../config/config.ts'
import { auditListQuery } from '../contract/audit.ts'
import { oauthClientCreate, oauthClientRotate, oauthClientUpdate } from '../contract/clients.ts'
import {
  presentAuditEvents,
  toAuditFilter,
  presentApplication,
  presentApplications,
  presentNewApplication,
  presentRotatedApplication,
  presentDeletedUser,
  presentNewUser,
  presentUser,
  presentUserDeletion,
  presentUsers,
  presentUserWithLink,
} from '../contract/present.ts'
import { userCreate, userListQuery, userUpdate } from '../contract/users.ts'
import { validate } from '../contract/validate.ts'
import { callAs } from '../core/caller.ts'
import { systemClock } from '../core/clock.ts'
import { DocsearchError } from '../core/errors.ts'
import type { Logger } from '../core/logger.ts'
import type { User } from '../core/model.ts'
import { createApplicationRegistry } from '../oauth/application-registry.ts'
import type { Records } from '../records/records.ts'
import { openRecords } from '../records/sql/open.ts'
import { createAccess, offlineActor, type Actor } from '../services/access.ts'
import { createApplications, type Applications } from '../services/applications.ts'
import { createAudit, type Audit } from '../services/audit.ts'
import { createUsers, type Users } from '../services/users.ts'
import { DATABASE_FILE, isDataFolder, keepFilesPrivate, makeUsable, refuseLostDatabase } from './data-folder.ts'
import { createLogger } from './logging.ts'
import type { ServeOutput } from './main.ts'
import { refuseMoved } from './migrate/mark.ts'
import { lookAtFolder, offlineStatus, type Surroundings } from './offline-status.ts'
import { offlineUpgrade } from './offline-upgrade.ts'
import { VERSION } from './version.ts'

const DEFAULT_PORT = 4747

/** The functions of the API client for users, applications, the audit log and the status, without a running instance. */
export type LocalAdministration = Pick<Client, 'users' | 'clients' | 'audit' | 'status'> & { close(): Promise<void> }

/**
 * Manages the users and applications of a data folder, or of the database that its settings name, as the owner, whether or not a daemon runs. Opens only the records; a daemon later
 * removes from the index what a deletion left there. With `mayCreate`, a missing or empty folder becomes a data folder.
 * Throws `data_unusable`, `data_newer`, `database_corrupt`, `invalid_configuration`.
 */
export async function openAdministration(
  flags: { data: string; publicUrl?: string },
  output: ServeOutput,
  { mayCreate }: { mayCreate: boolean },
): Promise<LocalAdministration> {
  keepFilesPrivate()
  const { config } = await loadConfig(flags, output.env)
  const log = createLogger(config.logLevel, output.stderr)
  const { records, look } = await openPlace({ config, output, log, mayCreate })
  const address = await addressOfLinks(config, flags.publicUrl !== undefined, output.env)
  const users = createUsers({
    records,
    accounts: createAccounts({ records, clock: systemClock, loginFailures: config.loginFailures, log }),
    quotas: config.quotas,
    deleteUser: async (id) => (await records.users.delete(id))?.documentIds.length ?? null,
  })
  const { applications, registrations } = records.oauth
  const registry = createApplicationRegistry({
    records: applications,
    registrations,
    callbacks: config.oauth.callbacks,
    clock: systemClock,
  })
  return {
    users: localUsers(users, records, address),
    clients: localClients(createApplications({ registry }), records),
    audit: localAudit(createAudit({ records, access: createAccess(records), days: config.auditDays }), records),
    status: () => offlineStatus(look, VERSION, records),
    close: () => records.close(),
  }
}

interface PlaceOptions {
  config: Config
  output: ServeOutput
  log: Logger
  mayCreate: boolean
}

/** Opens the records of a data folder, or of the database that its settings name. */
async function openPlace(options: PlaceOptions): Promise<{ records: Records; look: () => Promise<Surroundings> }> {
  const { config, output, log } = options
  const { dataDir, shared: place } = config
  if (place === null) return { records: await openFolder(options), look: () => lookAtFolder(dataDir) }
  const [{ openSharedDatabase }, { lookAtSharedPlace }] = await Promise.all([
    import('./shared-instance.ts'),
    import('./offline-shared-status.ts'),
  ])
  const isAudited = config.auditDays > 0
  const postgres = await openSharedDatabase({ place, isAudited, version: VERSION, log, say: output.say })
  return { records: postgres.records, look: () => lookAtSharedPlace(place, dataDir, postgres) }
}

/** Opens the records of a data folder. With `mayCreate`, a missing or empty folder becomes a data folder. */
async function openFolder({ config, output, log, mayCreate }: PlaceOptions): Promise<Records> {
  const dir = config.dataDir
  // isFree comes first: another process may be creating the data folder, and between the two checks it becomes one.
  const usable = (mayCreate && (await isFree(dir))) || isDataFolder(dir)
  if (!usable) {
    throw new DocsearchError(
      'data_unusable',
      `${dir} is not a data folder of docsearch. Name one with --data, or create one in an empty folder with \`docsearch users add EMAIL\`.`,
    )
  }
  await makeUsable(dir)
  await refuseMoved(dir)
  await refuseLostDatabase(dir)
  const upgrade = offlineUpgrade(dir, output)
  return openRecords({
    file: join(dir, DATABASE_FILE),
    clock: systemClock,
    log,
    isAudited: config.auditDays > 0,
    upgrade,
  })
}

/** Does something as the owner. The audit log names the command line. */
function asOwner<T>(owner: User | null, work: (actor: Actor) => Promise<T>): Promise<T> {
  const credential = { kind: 'command_line', id: null, name: null, lastFour: null } as const
  return callAs({ userId: owner?.id ?? null, address: null, credential }, () => work(offlineActor(owner)))
}

/** The client's functions for users, answered by the service as the API answers them. */
function localUsers(users: Users, records: Records, baseUrl: string): LocalAdministration['users'] {
  const run = async <T>(work: (actor: Actor) => Promise<T>) => asOwner(await records.users.owner(), work)
  return {
    list: async (page) => run(async (actor) => presentUsers(await users.list(actor, validate(userListQuery, page ?? {})))),
    create: async (user) => run(async (actor) => presentNewUser(await users.add(actor, validate(userCreate, user)), baseUrl)),
    get: async (idOrEmail) => run(async (actor) => presentUser(await users.get(actor, idOrEmail))),
    update: async (idOrEmail, change) =>
      run(async (actor) => {
        const { quota, ...rest } = validate(userUpdate, change)
        return presentUser(await users.update(actor, idOrEmail, { ...rest, quotas: quota }))
      }),
    reset: async (idOrEmail) => run(async (actor) => presentUserWithLink(await users.resetPassword(actor, idOrEmail), baseUrl)),
    previewDeletion: async (idOrEmail) =>
      run(async (actor) => presentUserDeletion(await users.previewDeletion(actor, idOrEmail))),
    delete: async (idOrEmail) => run(async (actor) => presentDeletedUser(await users.delete(actor, idOrEmail))),
  }
}

/** The client's functions for applications, answered by the service as the API answers them. */
function localClients(applications: Applications, records: Records): LocalAdministration['clients'] {
  async function run<T>(work: (actor: Actor) => Promise<T>): Promise<T> {
    const owner = await records.users.owner()
    if (owner !== null) return asOwner(owner, work)
    throw new DocsearchError(
      'no_owner',
      'Applications belong to a user, and there is no owner yet. Create the owner with `docsearch users add EMAIL`.',
    )
  }
  return {
    list: async () => run(async (actor) => presentApplications(await applications.list(actor))),
    create: async (application) =>
      run(async (actor) => {
        const { redirect_uris: redirectUris, ...rest } = validate(oauthClientCreate, application)
        return presentNewApplication(await applications.create(actor, { ...rest, redirectUris }))
      }),
    get: async (id) => run(async (actor) => presentApplication(await applications.get(actor, id))),
    update: async (id, change) =>
      run(async (actor) => {
        const { redirect_uris: redirectUris, ...rest } = validate(oauthClientUpdate, change)
        return presentApplication(await applications.update(actor, id, { ...rest, redirectUris }))
      }),
    rotate: async (id, settings) =>
      run(async (actor) => {
        const { grace_seconds: graceSeconds } = validate(oauthClientRotate, settings ?? {})
        return presentRotatedApplication(await applications.rotate(actor, id, graceSeconds))
      }),
    delete: async (id) => run((actor) => applications.delete(actor, id)),
  }
}

/** The client's functions for the audit log, answered by the service as the API answers them. */
function localAudit(audit: Audit, records: Records): LocalAdministration['audit'] {
  return {
    list: async (filter) =>
      asOwner(await records.users.owner(), async (actor) =>
        presentAuditEvents(await audit.list(actor, toAuditFilter(validate(auditListQuery, filter ?? {})))),
      ),
  }
}

/** Returns --public-url, else the address of the running daemon, else the configured one, else the last one of this user, else the default. */
async function addressOfLinks(config: Config, hasFlag: boolean, env: ServeOutput['env']): Promise<string> {
  const { dataDir, publicUrl, host, port } = config
  const served = daemonOf(dataDir)?.base_url
  if (!hasFlag && typeof served === 'string') return served
  if (publicUrl !== null) return publicUrl
  const last = await lastLocalInstance(env)
  if (last?.dataDir === dataDir) return last.address
  return reachableAddress(`http://${host.includes(':') ? `[${host}]` : host}:${port === 0 ? DEFAULT_PORT : port}`)
}

/** True when the folder has only what may be there before the first start: settings, hidden files, files of the file system. */
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
