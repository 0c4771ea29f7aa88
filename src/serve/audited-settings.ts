import type { LoadedConfig } from '../config/load.ts'
import { hashSecret } from '../core/secrets.ts'
import type { Logger } from '../core/logger.ts'
import type { Records } from '../records/records.ts'

/**
 * Records in the audit log which settings are other than at the last start. The log gets their names, and the records keep only hashes of their
 * values, because a value can contain a password.
 */
export async function recordSettings(
  { audit }: Pick<Records, 'audit'>,
  values: LoadedConfig['values'],
  log: Logger,
): Promise<void> {
  // A default can change with the machine or with docsearch itself.
  const chosen = values.filter(({ key, source }) => source !== 'default' && key !== 'data')
  const hashes = chosen.map(({ key, value }) => [key, hashSecret(JSON.stringify(value))] as const)
  try {
    await audit.recordSettings(Object.fromEntries(hashes))
  } catch (error) {
    log.warn({ err: error }, 'could not record changed settings')
  }
}
