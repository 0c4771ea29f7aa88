import type { ObjectStore } from '../../objects/object-store.ts'
import { partNumbers, tableNames } from './names.ts'

/** The folder of all tables in the object store. */
export const FOLDER = 'lance/'
/** Comes after every key in the folder of a table and before the keys of the next table. */
const PAST_FOLDER = '0'

/** Returns the numbers of the parts of an index, in order. */
export async function partsOf(objects: ObjectStore, indexId: string): Promise<number[]> {
  const prefix = tableNames(indexId).part(0).slice(0, -1)
  return partNumbers(await tablesIn(objects, FOLDER + prefix), indexId)
}

/** Returns the names of the folders of tables whose keys begin with `prefix`. Reads one key of each. */
export async function tablesIn(objects: ObjectStore, prefix: string): Promise<string[]> {
  const names: string[] = []
  for (let after: string | undefined; ;) {
    const { value: first } = await objects.list(prefix, after).next()
    if (first === undefined) return names
    const [name = ''] = first.key.slice(FOLDER.length).split('/')
    names.push(name)
    after = FOLDER + name + PAST_FOLDER
  }
}

/** The folder of the segments of all indexes in the object store. */
export const SEGMENTS = 'segments/'

/** Returns how many bytes all indexes take in an object store, including files that no index needs any more. */
export async function sharedIndexBytes(objects: Pick<ObjectStore, 'list'>): Promise<number> {
  let bytes = 0
  for (const folder of [FOLDER, SEGMENTS]) for await (const { size } of objects.list(folder)) bytes += size
  return bytes
}

/** Stores other than Amazon's ignore the region. */
const DEFAULT_REGION = 'us-east-1'

/**
 * How long LanceDB waits for the store. By default, a call would repeat requests for more than a minute before it fails. It would also slow down to one
 * request a second after an outage, and be slow for many seconds after the store answers again.
 */
const LIMITS = {
  connect_timeout: '5s',
  timeout: '10s',
  client_max_retries: '2',
  client_retry_timeout: '15',
  download_retry_count: '1',
  lance_aimd_max_retries: '0',
  lance_aimd_min_rate: '500',
}

/**
 * Returns what LanceDB needs to reach the object store that the AWS SDK reaches with the same environment. Without keys in the environment, LanceDB itself
 * looks into the files of profiles, and asks for the roles of containers and machines.
 */
export function storageOptions(env: Readonly<Record<string, string | undefined>> = process.env): Record<string, string> {
  const endpoint = env['AWS_ENDPOINT_URL_S3'] ?? env['AWS_ENDPOINT_URL']
  const region = env['AWS_REGION'] ?? env['AWS_DEFAULT_REGION'] ?? (endpoint === undefined ? undefined : DEFAULT_REGION)
  const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, AWS_SESSION_TOKEN: token } = env
  return {
    ...LIMITS,
    ...(endpoint !== undefined && { endpoint, virtual_hosted_style_request: 'false' }),
    ...(endpoint?.startsWith('http:') === true && { allow_http: 'true' }),
    ...(region !== undefined && { region }),
    ...(id !== undefined && secret !== undefined && { access_key_id: id, secret_access_key: secret }),
    ...(id !== undefined && token !== undefined && { session_token: token }),
  }
}
