import type { Logger } from '../../core/logger.ts'
import { parseStoreLocation, type ObjectStore } from '../object-store.ts'
import { Requests, TIMING, type Timing } from './requests.ts'
import { S3Store } from './store.ts'

export interface S3Options {
  /** Such as `s3://bucket/prefix`. */
  address: string
  log: Logger
  /** Replaces limits in tests. */
  timing?: Partial<Timing>
}

const CONNECT_MS = 5_000
/** Stores other than Amazon's ignore the region. */
const DEFAULT_REGION = 'us-east-1'

const SETTINGS = {
  // `Requests` repeats requests itself, because each attempt has to open the file again.
  maxAttempts: 1,
  // Many stores refuse the checksums that the SDK would add. Puts carry a hash of their own.
  requestChecksumCalculation: 'WHEN_REQUIRED',
  responseChecksumValidation: 'WHEN_REQUIRED',
  // The SDK would write to standard error. `Requests` logs failures.
  logger: { trace() {}, debug() {}, info() {}, warn() {}, error() {} },
  requestHandler: {
    connectionTimeout: CONNECT_MS,
    // `Requests` limits the waiting requests. A download keeps its connection until its caller has read the last byte, and must not make other
    // requests wait. Each caller, such as a connection of a client, has one download at a time.
    httpAgent: { keepAlive: true, maxSockets: Infinity },
    httpsAgent: { keepAlive: true, maxSockets: Infinity },
  },
} as const

/**
 * Opens an object store. Endpoint, region and credentials come from the standard sources of the AWS SDK: the environment (`AWS_ENDPOINT_URL`,
 * `AWS_REGION`, `AWS_ACCESS_KEY_ID`, …), the files of profiles, and the roles of containers and machines. Sends no request.
 */
export async function openS3({ address, log, timing }: S3Options): Promise<ObjectStore> {
  const location = parseStoreLocation(address)
  const { sdk } = await import('./sdk.ts')
  const connect = (region?: string) =>
    new sdk.S3Client({ ...SETTINGS, ...(region !== undefined && { region }), forcePathStyle: isOwnEndpoint() })
  let client = connect()
  try {
    await client.config.region()
  } catch {
    // Only Amazon's own store needs the right region.
    client = connect(process.env['AWS_DEFAULT_REGION'] ?? DEFAULT_REGION)
  }
  return new S3Store(sdk, client, location, new Requests({ ...TIMING, ...timing }, log))
}

/** Stores other than Amazon's rarely have a host name for each bucket. */
function isOwnEndpoint(): boolean {
  return Boolean(process.env['AWS_ENDPOINT_URL_S3'] ?? process.env['AWS_ENDPOINT_URL'])
}
