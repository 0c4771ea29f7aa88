import { countOf } from '../core/count-of.ts'
import { finding } from '../core/findings.ts'
import { openText, sealingKey } from '../core/sealed-text.ts'
import { NO_DATABASE, type Check } from './scene.ts'

/** Tries to decrypt the secrets of all webhooks with the key of the instance. */
export const checkWebhooks: Check = async ({ inspection, webhookKey, add }) => {
  if (inspection === null) return NO_DATABASE
  const webhooks = await inspection.webhookSecrets()
  const content = await webhookKey.read()
  const place = webhookKey.name
  const message = `${countOf(webhooks.length, 'webhook')}.`
  if (content === null && webhooks.length === 0) return { message }
  const key = content === null ? null : sealingKey(content)
  if (key === null) {
    const what = content === null ? 'is missing' : 'does not contain a key'
    add(finding('webhook_key_damaged', `${place} ${what}.`, { place }))
    return { message }
  }
  const damaged = webhooks.filter(({ id, sealed }) => !sealed.every((one) => opens(one, key, id)))
  // If no secret can be decrypted, the key has probably changed. With a single webhook, either the key or the secret can be at fault.
  if (damaged.length > 0 && damaged.length === webhooks.length) {
    const secrets =
      damaged.length === 1 ? 'the secret of the only webhook. The key or the secret' : 'the secret of any webhook. The key'
    add(finding('webhook_key_damaged', `${place} does not decrypt ${secrets} is damaged or was replaced.`, { place }))
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
