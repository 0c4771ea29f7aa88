import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { WEBHOOK_KEY } from '../backup/layout.ts'
import { countOf } from '../core/count-of.ts'
import { finding } from '../core/findings.ts'
import { openText, sealingKey } from '../core/sealed-text.ts'
import { NO_DATABASE, type Check } from './scene.ts'

/** Tries to decrypt the secrets of all webhooks with the key of the data folder. */
export const checkWebhooks: Check = async ({ inspection, dataDir, add }) => {
  if (inspection === null) return NO_DATABASE
  const webhooks = inspection.webhookSecrets()
  const content = await readFile(join(dataDir, WEBHOOK_KEY), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  const message = `${countOf(webhooks.length, 'webhook')}.`
  if (content === null && webhooks.length === 0) return { message }
  const key = content === null ? null : sealingKey(content)
  if (key === null) {
    const what = content === null ? 'is missing' : 'does not contain a key'
    add(finding('webhook_key_damaged', `${WEBHOOK_KEY} ${what}.`, { place: WEBHOOK_KEY }))
    return { message }
  }
  const damaged = webhooks.filter(({ id, sealed }) => !sealed.every((one) => opens(one, key, id)))
  // If no secret can be decrypted, the key has probably changed. With a single webhook, either the key or the secret can be at fault.
  if (damaged.length > 0 && damaged.length === webhooks.length) {
    const secrets =
      damaged.length === 1 ? 'the secret of the only webhook. The key or the secret' : 'the secret of any webhook. The key'
    add(
      finding('webhook_key_damaged', `${WEBHOOK_KEY} does not decrypt ${secrets} is damaged or was replaced.`, {
        place: WEBHOOK_KEY,
      }),
    )
  } else
    for (const { id, project } of damaged)
      add(finding('webhook_secret_damaged', `The secret of the webhook ${id} (project ${project}) is damaged.`, { place: id }))
  return { message }
}

function opens(sealed: string, key: Buffer, webhookId: string): boolean {
  try {
    openText(sealed, key, webhookId)
    return true
  } catch {
    return false
  }
}
