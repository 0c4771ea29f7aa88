import { countOf } from '../core/count-of.ts'
import { isDocsearchError } from '../core/errors.ts'
import { finding, repaired } from '../core/findings.ts'
import { withoutCredentials } from '../core/http-fetch.ts'
import { openText, sealingKey } from '../core/sealed.ts'
import { shippedModel } from '../embed/model/file.ts'
import { createOllamaClient, OllamaCallError, withoutLatest } from '../ollama/client.ts'
import { namesOf } from './originals.ts'
import { type Check, NO_DATABASE, type Scene } from './scene.ts'

/** Clocks of two machines may differ a little, after a folder was moved. */
const TOLERANCE_MS = 60_000

export const checkClock: Check = async ({ inspection, now, add }) => {
  if (inspection === null) return NO_DATABASE
  const newest = await inspection.newestRow()
  const time = now()
  if (newest !== null && newest.getTime() > time.getTime() + TOLERANCE_MS)
    add(
      finding(
        'clock_behind',
        `The clock says ${time.toISOString()}, but the newest row of the database is from ${newest.toISOString()}.`,
      ),
    )
  return { message: `The clock says ${time.toISOString()}.` }
}

const ASK_MS = 5_000
const PREFIX = 'ollama:'

/** Reads the built-in model, and asks Ollama for the models that the instance needs. */
export const checkModels: Check = async (scene) => {
  try {
    shippedModel()
  } catch (error) {
    if (!isDocsearchError(error, 'internal_error')) throw error
    scene.add(finding('model_file_damaged', error.message))
  }
  const { inspection, settings } = scene
  const active = (await inspection?.indexes())?.find(({ state }) => state === 'active')
  const needed = [active?.embeddingModel ?? '', settings.reranker].filter((name) => name.startsWith(PREFIX))
  if (needed.length === 0) return { message: 'The built-in model. Nothing needs Ollama.' }
  await askOllama(
    scene,
    needed.map((name) => name.slice(PREFIX.length)),
  )
  return { message: `The built-in model, and ${needed.join(' and ')}.` }
}

async function askOllama({ settings, add }: Scene, needed: readonly string[]): Promise<void> {
  const where = `Ollama at ${withoutCredentials(settings.ollamaUrl)}`
  try {
    const installed = await createOllamaClient(settings.ollamaUrl).list({ timeoutMs: ASK_MS })
    const names = new Set(installed.map(({ name }) => name))
    for (const name of new Set(needed))
      if (!names.has(withoutLatest(name))) add(finding('model_missing', `${where} has no model ${name}.`, { place: name }))
  } catch (error) {
    if (!(error instanceof OllamaCallError)) throw error
    add(finding('ollama_unreachable', `${where} cannot be reached: ${error.message}.`))
  }
}

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

const TABLES = {
  document_counts: 'documents of projects',
  folder_counts: 'documents of folders',
  usage: 'usage of users',
  queue_turns: 'waiting documents of users',
} as const

/** Compares what the database stores about documents with the documents and their texts. */
export const checkStatistics: Check = async (scene) => {
  const { inspection, add, wantsFix, repairs } = scene
  if (inspection === null) return NO_DATABASE
  for (const { table, rows } of await inspection.wrongCounts()) {
    const found = finding('counts_wrong', `${countOf(rows, 'number')} of the ${TABLES[table]} differ from the documents.`, {
      place: table,
    })
    if (wantsFix) {
      await repairs().recount()
      repaired(found, 'Counted again.')
    }
    add(found)
  }
  const words = await inspection.wrongWords()
  if (words > 0) {
    const found = finding(
      'vocabulary_wrong',
      `${countOf(words, 'word')} of the vocabularies differ from the words of the documents.`,
    )
    if (wantsFix) {
      await repairs().recountWords()
      repaired(found, 'Counted the words again.')
    }
    add(found)
  }
  await checkTexts(scene)
  return { message: 'Counts, vocabularies and stored texts.' }
}

/** Finds missing texts, and texts that differ from their checksums. */
async function checkTexts({ inspection, originals, wantsFix, records, add }: Scene): Promise<void> {
  const faults = [
    { code: 'text_missing', documents: await inspection!.withoutText(), message: 'The database lacks text of' },
    { code: 'text_damaged', documents: await inspection!.withDamagedText(), message: 'The database has a damaged text of' },
  ] as const
  const all = faults.flatMap(({ documents, ...fault }) => documents.map((document) => ({ ...fault, ...document })))
  for (const { code, message, sha256, projectId, ...document } of all) {
    const found = finding(code, `${message} ${namesOf([document])}.`, { documents: [document] })
    // Reading the document again replaces what is left of the text, so the original must be whole.
    if (wantsFix && (await originals.verify({ sha256, sizeBytes: 0 })) === null) {
      await (await records()).documents.requeue(new Set([projectId]), document.id)
      repaired(found, 'Queued the document again.')
    }
    add(found)
  }
}
