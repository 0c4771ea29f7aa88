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
