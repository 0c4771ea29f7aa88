import type { Client } from '../client.ts'
import { ClientError } from '../errors.ts'
import type { Calls } from './calls.ts'
import type { CallOptions } from './options.ts'

/** Deletes something. If the answer to the first request was lost, a second one may find nothing, and that is a success. */
export function deleteOnce(calls: Calls, remove: (client: Client) => Promise<void>, options?: CallOptions): Promise<void> {
  return calls.repeatable(async (client, attempt) => {
    try {
      await remove(client)
    } catch (error) {
      if (!(error instanceof ClientError && error.status === 404 && attempt > 1)) throw error
    }
  }, options)
}
