import type { DocumentRecord } from '../../core/model.ts'
import { WEBHOOK_TEST, type WebhookEvent } from '../../core/webhooks.ts'
import type { WebhookMessage, WebhookTestMessage } from '../webhooks.ts'
import { presentDocument } from './documents.ts'

/** Returns the body of a message about a document, as every attempt sends it. It has what a reader of the project may see. */
export function documentMessage(type: WebhookEvent, at: Date, document: DocumentRecord): string {
  const message: WebhookMessage = { type, timestamp: at.toISOString(), data: { document: presentDocument(document) } }
  return JSON.stringify(message)
}

/** Returns the body of a test. */
export function testMessage(at: Date, webhookId: string): string {
  const message: WebhookTestMessage = { type: WEBHOOK_TEST, timestamp: at.toISOString(), data: { webhook: { id: webhookId } } }
  return JSON.stringify(message)
}
