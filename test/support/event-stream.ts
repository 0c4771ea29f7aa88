import { expect } from 'vitest'
import { documentEvent, type DocumentEvent } from '../../src/contract/documents.ts'
import { until } from './until.ts'

/** An open answer of `GET /api/v1/events`, read in the background. */
export interface EventStream {
  /** The events until now. Each was checked against the contract. */
  events: readonly DocumentEvent[]
  /** Resolves when the instance has ended the answer, in whatever way. */
  ended: Promise<void>
  hasEnded(): boolean
  /** Waits for an event, which may have come before. */
  until(isWanted: (event: DocumentEvent) => boolean): Promise<DocumentEvent>
  close(): Promise<void>
}

/** Resolves when the stream listens, so that no later event is missed. */
export async function openEventStream(response: Response): Promise<EventStream> {
  expect(response.status).toBe(200)
  const events: DocumentEvent[] = []
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let hasEnded = false
  let isListening = false

  async function read(): Promise<void> {
    let text = ''
    try {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return
        text += value
        isListening = true
        const blocks = text.split('\n\n')
        text = blocks.pop() ?? ''
        for (const block of blocks) {
          const data = /^data: (.*)$/m.exec(block)?.[1]
          if (data !== undefined && /^event: document\./m.test(block)) events.push(documentEvent.parse(JSON.parse(data)))
        }
      }
    } catch {
      // The instance may also break the connection off.
    } finally {
      hasEnded = true
    }
  }

  const ended = read()
  await until('the stream to listen', () => isListening || hasEnded)
  return {
    events,
    ended,
    hasEnded: () => hasEnded,
    until: (isWanted) => until('the event', () => events.find(isWanted)),
    close: async () => {
      await reader.cancel().catch(() => {})
      await ended
    },
  }
}
