import type { DocumentEvent as WireEvent, MissedEvents } from '../../../contract/documents.ts'
import type { DocumentEvent } from '../../../core/model.ts'
import type { Events } from '../../../services/events.ts'

const RETRY_MS = 2000

/** Writes events as server-sent events. JSON has no raw line breaks, so one data line is enough. */
export async function* formatEvents(events: ReturnType<Events['follow']>): AsyncGenerator<string> {
  for await (const event of events) {
    // With this id, a listener can resume without a gap even if the connection breaks before the first event.
    if (event.type === 'listening') yield `retry: ${RETRY_MS}\nid: ${event.lastId}\n: listening\n\n`
    else if (event.type === 'heartbeat') yield ': heartbeat\n\n'
    else yield format(event.type === 'missed' ? presentMissed(event.lastId) : presentEvent(event))
  }
}

function format(event: WireEvent | MissedEvents): string {
  return `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
}

function presentMissed(lastId: number): MissedEvents {
  return {
    id: lastId,
    type: 'events.missed',
    message:
      'Some events after your Last-Event-ID are no longer stored. List your documents to see their status. The stream continues from here.',
  }
}

function presentEvent(event: DocumentEvent): WireEvent {
  return {
    id: event.id,
    type: event.type,
    document_id: event.documentId,
    project_id: event.projectId,
    created_at: event.createdAt.toISOString(),
    data: event.data,
  }
}
